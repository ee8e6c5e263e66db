import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { StartError } from "../../base/start-error.js";
import { filesOf } from "./folder.js";
import { makePassword, passwordFile } from "./listening.js";
import type { Programs } from "./programs.js";
import { asUser, ENVIRONMENT } from "./server.js";
import { giveTo, hasName, type ServerUser } from "./server-user.js";
import { INITDB } from "./settings.js";

/**
 * Makes the files of an empty database in a data folder. Until its first records are there, `creating` says so: a start that finds it
 * begins afresh.
 *
 * @param user as whom it is made, and the descriptor of the folder's lock, which `initdb` inherits: it outlives a process that is killed
 * @throws StartError when it cannot be made
 */
export const makeCluster = (folder: string, programs: Programs, user: ServerUser & { lock?: number }): void => {
  const { cluster, creating } = filesOf(folder);
  rmSync(cluster, { recursive: true, force: true });
  writeFileSync(creating, "");
  mkdirSync(cluster, { mode: 0o700 });
  giveTo(cluster, user);
  const isWindows = process.platform === "win32";
  if (isWindows) makePassword(folder);
  const who = isWindows ? ["-A", "scram-sha-256", `--pwfile=${passwordFile(folder)}`] : ["-A", "trust"];
  const { status, error, stderr } = spawnSync(programs.file("initdb"), [...INITDB, ...who, "-D", cluster], {
    ...{ ...asUser(user), cwd: cluster, encoding: "utf8" },
    stdio: ["ignore", "pipe", "pipe", user.lock ?? "ignore"],
    env: { ...(isWindows ? process.env : ENVIRONMENT), ...nameUser(folder, user) },
  });
  if (status === 0) return;
  const lines = (error?.message ?? stderr).trim().split("\n");
  throw new Error(lines.find((line) => /error|fatal/i.test(line)) ?? lines.at(-1));
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
