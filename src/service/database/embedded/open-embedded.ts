import { spawnSync } from "node:child_process";
import { chmodSync, closeSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { StartError } from "../../base/start-error.js";
import { createWaits } from "../../base/times.js";
import type { Database } from "../database.js";
import { answers, connect, type Needs } from "../postgres/open-postgres.js";
import { filesOf, lockFolder, makeFolder, requireDatabase, requireOwn } from "./data-folder.js";
import { createTidying, toDisk, withRoom } from "./disk-space.js";
import { findPrograms, type Programs } from "./programs.js";
import { asUser, ENVIRONMENT, INITDB, listenFor, runningUrl, type Server, startServer } from "./server.js";
import { giveFiles, giveFolder, giveTo, type ServerUser, serverUser } from "./server-user.js";

/**
 * Makes the files of an empty database in a data folder. They have their place once all of them are on the disk, so that a start
 * that is broken off, at whatever moment, leaves nothing that the next one has to judge.
 *
 * @param user as whom it is made, and the descriptor of the folder's lock, which `initdb` inherits: it outlives a process that is killed
 * @throws StartError when it cannot be made
 */
export const makeCluster = (folder: string, programs: Programs, user: ServerUser & { lock?: number }): void => {
  const { cluster, making } = filesOf(folder);
  rmSync(making, { recursive: true, force: true });
  mkdirSync(making, { mode: 0o700 });
  giveTo(making, user);
  const { status, error, stderr } = spawnSync(programs.file("initdb"), [...INITDB, "-D", making], {
    ...asUser(user),
    cwd: "/",
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe", user.lock ?? "ignore"],
    env: { ...ENVIRONMENT, ...nameUser(folder, user) },
  });
  if (status !== 0) {
    const lines = (error?.message ?? stderr).trim().split("\n");
    throw new Error(lines.find((line) => /error|fatal/i.test(line)) ?? lines.at(-1));
  }
  renameSync(making, cluster);
  toDisk(folder);
};

/** Gives names to users that the system does not know (cwrap.org). */
const WRAPPER = "libnss_wrapper.so";

const findWrapper = (): string | undefined =>
  ["/usr/lib", ...readdirSync("/usr/lib").map((name) => join("/usr/lib", name))]
    .map((path) => join(path, WRAPPER))
    .find((path) => existsSync(path));

/**
 * `initdb` refuses a user without a name, as containers have it that are started under any number. The server itself needs none.
 *
 * @throws StartError where none can be had
 */
const nameUser = (folder: string, user: ServerUser): Record<string, string> => {
  if (user.uid !== undefined || spawnSync("id", ["-un"]).status === 0) return {};
  const wrapper = findWrapper();
  const uid = process.getuid!();
  if (wrapper === undefined)
    throw new StartError(
      `PostgreSQL makes no database for a user without a name (${uid}): add it to /etc/passwd, or install ${WRAPPER} (Debian: libnss-wrapper)`,
    );
  const [users, groups] = [join(folder, "passwd"), join(folder, "group")];
  writeFileSync(users, `tracklet:x:${uid}:${process.getgid!()}::${folder}:/bin/false\n`);
  writeFileSync(groups, `tracklet:x:${process.getgid!()}:\n`);
  return { LD_PRELOAD: wrapper, NSS_WRAPPER_PASSWD: users, NSS_WRAPPER_GROUP: groups };
};

/** The first and the longest wait, in milliseconds, before a server that has ended is started again. */
const [AGAIN_MS, MOST_MS] = [1_000, 60_000];

/**
 * Starts a server, and starts it again when it has ended by itself.
 *
 * @param start starts it
 * @param tell says what happens to it
 * @returns ends it for good, once the first start has succeeded
 * @throws Error when the first start fails
 */
const keepServer = async (start: () => Server, tell: (text: string) => void): Promise<() => Promise<void>> => {
  const ending = new AbortController();
  let server = start();
  await server.ready.catch(async (error) => {
    await server.end();
    throw error;
  });
  const keep = async (): Promise<void> => {
    for (const nextWait = createWaits(AGAIN_MS, MOST_MS); ; ) {
      const why = await server.closed;
      if (ending.signal.aborted) return;
      const wait = nextWait();
      tell(`PostgreSQL has ended (${why}): it is started again in ${wait / 1_000} s`);
      await sleep(wait, undefined, { signal: ending.signal }).catch(() => {});
      if (ending.signal.aborted) return;
      server = start();
      server.ready.then(
        () => tell("PostgreSQL takes connections again"),
        () => {},
      );
    }
  };
  void keep();
  return async () => {
    ending.abort();
    await server.end();
  };
};

/**
 * Starts a PostgreSQL server of its own over a data folder, which a service makes when it is absent, and connects to it. One process at a
 * time may hold the folder: a command works on the server that runs.
 *
 * @param tell hears what happens to the server
 * @throws StartError when the folder cannot be used, with what to do
 */
export const openEmbedded = async (folder: string, needs: Needs, tell: (text: string) => void): Promise<Database> => {
  const connectTo = async (url: string): Promise<Database> => {
    const database = await connect(url, needs, tell);
    const { tidy, done } = createTidying(url, folder);
    // A command waits until what it has deleted is out of the files.
    const close = needs === "service" ? database.close : () => done().then(database.close);
    return { ...withRoom(database, folder), tidy, close };
  };
  if (needs === "service" || typeof needs === "object") return overServer(folder, { tell, mayMake: true }, connectTo);
  requireExisting(folder);
  const url = runningUrl(folder);
  if (url !== undefined && (await answers(url))) return { ...(await connectTo(url)), folder };
  return overServer(folder, { tell: () => {}, mayMake: false }, connectTo);
};

const requireExisting = (folder: string): void => {
  if (!existsSync(filesOf(folder).cluster))
    throw new StartError(
      `there is no database in ${folder} (TRACKLET_DATA), and DATABASE_URL is not set: a command needs the variables of the service, as in node --env-file=/etc/tracklet.env build/service/main.js help`,
    );
};

/** Locks the folder, starts its server, and gives what `connect` makes of it; closing that ends the server. */
const overServer = async (
  folder: string,
  { tell, mayMake }: { tell: (text: string) => void; mayMake: boolean },
  connect: (url: string) => Promise<Database>,
): Promise<Database> => {
  const leave: (() => unknown)[] = [];
  // What cannot be undone keeps the server from nothing: it ends in any case, and the lock with it.
  const undo = async (): Promise<void> => {
    for (const one of leave.splice(0).reverse()) await (async () => one())().catch(() => {});
  };
  try {
    const { cluster } = filesOf(folder);
    const isOurs = makeFolder(folder);
    const user = serverUser(cluster);
    const lock = await lockFolder(folder);
    leave.push(() => closeSync(lock));
    if (isOurs) giveFolder(folder, user);
    const programs = findPrograms(folder, user);
    if (mayMake && !existsSync(cluster)) requireOwn(folder);
    if (mayMake && !existsSync(cluster)) makeCluster(folder, programs, { ...user, lock });
    requireDatabase(folder, programs.version);
    giveFiles(folder);
    // PostgreSQL refuses files that others may read, as a copy's may be.
    chmodSync(cluster, 0o700);
    const listening = listenFor(folder, user);
    leave.push(listening.leave);
    const setup = { folder, programs, user, listening, lock };
    leave.push(await keepServer(() => startServer(setup), tell));
    if (user.name !== undefined) tell(`PostgreSQL runs as the user ${user.name}, to whom ${cluster} belongs`);
    const database = await connect(listening.url);
    leave.push(database.close);
    return { ...database, folder, close: undo };
  } catch (error) {
    await undo();
    if (error instanceof StartError) throw error;
    throw new StartError(
      `cannot open the database in ${folder} (${String((error as Error).message).split("\n")[0]}): put a backup in its place, or set TRACKLET_DATA to a new folder`,
    );
  }
};
