import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { StartError } from "../../base/start-error.js";
import { filesOf } from "./folder.js";
import { makePassword, passwordFile } from "./listening.js";
import type { Programs } from "./programs.js";
import { syncFolder } from "./room.js";
import { asUser, ENVIRONMENT } from "./server.js";
import { giveTo, hasName, type ServerUser } from "./server-user.js";
import { INITDB } from "./settings.js";

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
  const isWindows = process.platform === "win32";
  if (isWindows) makePassword(folder);
  const who = isWindows ? ["-A", "scram-sha-256", `--pwfile=${passwordFile(folder)}`] : ["-A", "trust"];
  const { status, error, stderr } = spawnSync(programs.file("initdb"), [...INITDB, ...who, "-D", making], {
    ...{ ...asUser(user), cwd: making, encoding: "utf8" },
    stdio: ["ignore", "pipe", "pipe", user.lock ?? "ignore"],
    env: { ...(isWindows ? process.env : ENVIRONMENT), ...nameUser(folder, user) },
  });
  if (status !== 0) {
    const lines = (error?.message ?? stderr).trim().split("\n");
    throw new Error(lines.find((line) => /error|fatal/i.test(line)) ?? lines.at(-1));
  }
  renameSync(making, cluster);
  syncFolder(folder);
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
  if (user.uid !== undefined || hasName()) return {};
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

/**
 * Puts a cluster aside of which a build of before did not know whether its first start was done: there may be events in it, so it is never
 * removed. @param tell hears of it
 */
export const putAside = (folder: string, tell: (text: string) => void): void => {
  const { cluster, creating } = filesOf(folder);
  if (!existsSync(creating)) return;
  const aside = join(folder, `cluster-aside-${new Date().toISOString().replaceAll(":", "-")}`);
  if (existsSync(cluster)) {
    renameSync(cluster, aside);
    tell(
      `the first start over ${folder} was broken off, or the power was cut soon after it: its database is ${aside} now, and the service begins with an empty one; if there were events, stop it and put ${aside} in the place of ${cluster}, else delete it`,
    );
  }
  rmSync(creating);
  syncFolder(folder);
};
