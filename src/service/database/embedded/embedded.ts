import { chmodSync, existsSync } from "node:fs";
import { StartError } from "../../base/start-error.js";
import type { Database } from "../database.js";
import { answers, connect, type Needs } from "../postgres/postgres.js";
import { filesOf, makeFolder, refuseFormer, requireDatabase, requireOwn } from "./folder.js";
import { type FolderLock, lockFolder } from "./folder-lock.js";
import { keepServer } from "./kept-server.js";
import { listenFor, runningUrl } from "./listening.js";
import { makeCluster, putAside } from "./make-cluster.js";
import { findPrograms } from "./programs.js";
import { createTidying, withRoom } from "./room.js";
import { startServer } from "./server.js";
import { giveFiles, giveFolder, requireWay, serverUser } from "./server-user.js";
import { startServerOnWindows } from "./windows-server.js";

/**
 * Starts a PostgreSQL server of its own over a data folder, which a service makes when it is absent, and connects to it. One process at a
 * time may hold the folder: a command works on the server that runs.
 *
 * @param how `isDemo` where the database is that of the demo, `tell` hears what happens to the server
 * @throws StartError when the folder cannot be used, with what to do
 */
export const openEmbedded = async (
  folder: string,
  needs: Needs,
  { isDemo, tell }: Pick<How, "isDemo" | "tell">,
): Promise<Database> => {
  const connectTo = async (url: string): Promise<Database> => {
    const database = await connect(url, needs, tell);
    const { tidy, done } = createTidying(url, folder);
    // A command waits until what it has deleted is out of the files.
    const close = needs === "service" ? database.close : () => done().then(database.close);
    return { ...withRoom(database, folder), tidy, close };
  };
  if (needs === "service" || typeof needs === "object")
    return overServer(folder, { tell, isDemo, mayMake: true }, connectTo);
  requireExisting(folder);
  const url = runningUrl(folder);
  if (url !== undefined && (await answers(url))) return { ...(await connectTo(url)), folder };
  return overServer(folder, { tell: () => {}, isDemo, mayMake: false }, connectTo);
};

const requireExisting = (folder: string): void => {
  const { cluster, creating } = filesOf(folder);
  refuseFormer(folder);
  if (!existsSync(cluster) || existsSync(creating))
    throw new StartError(
      `there is no database in ${folder} (TRACKLET_DATA), and DATABASE_URL is not set: a command needs the variables of the service, as in node --env-file=/etc/tracklet.env build/service/main.js help`,
    );
};

interface How {
  tell: (text: string) => void;
  isDemo: boolean;
  mayMake: boolean;
}

/** Locks the folder, starts its server, and gives what `connect` makes of it; closing that ends the server. */
const overServer = async (
  folder: string,
  { tell, isDemo, mayMake }: How,
  connect: (url: string) => Promise<Database>,
): Promise<Database> => {
  refuseFormer(folder);
  const leave: (() => unknown)[] = [];
  // What cannot be undone keeps the server from nothing: it ends in any case, and the lock with it.
  const undo = async (): Promise<void> => {
    for (const one of leave.splice(0).reverse()) await (async () => one())().catch(() => {});
  };
  try {
    const { cluster } = filesOf(folder);
    const isOurs = makeFolder(folder);
    const user = serverUser(cluster, isDemo);
    const lock: FolderLock = await lockFolder(folder);
    leave.push(lock.release);
    if (mayMake) putAside(folder, tell);
    if (isOurs) giveFolder(folder, user);
    requireWay(folder, user);
    const programs = findPrograms(folder, user);
    if (mayMake && !existsSync(cluster)) requireOwn(folder);
    if (mayMake && !existsSync(cluster)) makeCluster(folder, programs, { ...user, lock: lock.descriptor });
    requireDatabase(folder, programs.version);
    giveFiles(folder);
    // PostgreSQL refuses files that others may read, as a copy's may be.
    chmodSync(cluster, 0o700);
    const listening = await listenFor(folder, user);
    leave.push(listening.leave);
    const setup = { folder, programs, user, listening, lock: lock.descriptor };
    const start = process.platform === "win32" ? startServerOnWindows : startServer;
    leave.push(await keepServer(() => start(setup), tell));
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
