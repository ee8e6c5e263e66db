/** As whom PostgreSQL runs, and what becomes its own: files that it may use, and folders that it may enter. */
import { spawnSync } from "node:child_process";
import { chownSync, lchownSync, readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { StartError } from "../../base/start-error.js";
import { filesOf, OURS } from "./data-folder.js";

/** As whom PostgreSQL's programs run; nobody is named where it is as this process. */
export interface ServerUser {
  uid?: number;
  gid?: number;
  name?: string;
}

/** The system user of the service's data where the service is started by root. */
const OWN = "tracklet";

const lookUp = (name: string): ServerUser | undefined => {
  const idOf = (flag: string) => spawnSync("id", [flag, name], { encoding: "utf8" }).stdout?.trim();
  const uid = idOf("-u");
  return uid ? { uid: Number(uid), gid: Number(idOf("-g")), name } : undefined;
};

/**
 * PostgreSQL refuses to run as root. Then it runs as whoever has the files, and new ones are those of the owner of the data folder, or, where
 * that is root, too, of a system user of their own.
 *
 * @param files the folder of the database, which may be absent
 * @throws StartError when no such user can be had, or the files are somebody else's
 */
export const serverUser = (files: string): ServerUser => {
  const self = process.getuid?.();
  const owner = statSync(files, { throwIfNoEntry: false });
  if (self !== 0) {
    if (owner === undefined || self === undefined || owner.uid === self) return {};
    throw new StartError(
      `the database in ${files} belongs to the user with the id ${owner.uid}, and this process runs as ${self}: run it as ${owner.uid}, as by setpriv --reuid=${owner.uid} --clear-groups`,
    );
  }
  for (const one of [owner, statSync(dirname(files), { throwIfNoEntry: false })])
    if (one !== undefined && one.uid !== 0) return { uid: one.uid, gid: one.gid, name: String(one.uid) };
  const own = lookUp(OWN);
  if (own !== undefined) return own;
  const options = ["--system", "--no-create-home", "--home-dir", "/nonexistent", "--shell", "/usr/sbin/nologin"];
  const { error, stderr } = spawnSync("useradd", [...options, OWN], { encoding: "utf8" });
  const made = lookUp(OWN);
  if (made !== undefined) return made;
  throw new StartError(
    `PostgreSQL does not run as root, and the user ${OWN} cannot be made (${error?.message ?? stderr.trim().split("\n").at(-1)}): make it, or start the service as another user`,
  );
};

/** Gives a folder and all that is in it to a user. */
export const giveTo = (folder: string, { uid, gid }: ServerUser): void => {
  if (uid === undefined) return;
  chownSync(folder, uid, gid!);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) giveTo(path, { uid, gid: gid! });
    else if (!entry.isSymbolicLink()) chownSync(path, uid, gid!);
  }
};

/** What root has made or copied there, PostgreSQL could not use: it becomes the server's user's. */
export const giveFolder = (folder: string, user: ServerUser): void => {
  const { cluster } = filesOf(folder);
  if (user.uid === undefined) return;
  if (statSync(folder).uid === 0) chownSync(folder, user.uid, user.gid!);
  if (statSync(cluster, { throwIfNoEntry: false })?.uid === 0) giveTo(cluster, user);
};

/** Gives the files that root has made in a data folder to whom the database belongs: the service may run as that user. */
export const giveFiles = (folder: string): void => {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(filesOf(folder).cluster);
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isFile() && OURS.test(entry.name)) lchownSync(join(folder, entry.name), uid, gid);
};
