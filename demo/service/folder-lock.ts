import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { StartError } from "./start-error.js";

/**
 * Takes the lock file of a folder: its text is the process that holds it. A holder that no longer runs (it was
 * killed) loses it at once.
 *
 * @returns gives the lock back
 * @throws StartError when another process that runs holds it
 */
export const lockFolder = (folder: string): (() => void) => {
  const file = join(folder, "service.lock");
  const own = `${file}.${process.pid}`;
  const inode = prepareLock(folder, own);
  try {
    for (;;) {
      try {
        // A link comes with its text, and only where there is none yet: nobody ever sees a lock that is half written.
        linkSync(own, file);
        break;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw unusable(file, error);
      }
      const holder = read(file);
      if (holder === undefined) continue;
      if (!/^\d+ \S+\n$/.test(holder))
        throw new StartError(
          `the lock ${file} does not say which process holds it: delete it if no service uses that folder`,
        );
      if (runs(holder))
        throw new StartError(
          `the data folder ${folder} is in use by process ${holder.split(" ")[0]}: stop it, or set TRACKLET_DATA to another folder`,
        );
      takeAway(file, holder);
    }
  } finally {
    rmSync(own, { force: true });
  }
  const unlock = (): void => {
    process.off("exit", unlock);
    // Known by its inode: somebody may have changed what is in it.
    if (statSync(file, { throwIfNoEntry: false })?.ino === inode) rmSync(file, { force: true });
  };
  process.on("exit", unlock);
  return unlock;
};

/** Writes this process's name to a file of its own, so that it lasts over a loss of power; returns its inode. */
const prepareLock = (folder: string, own: string): number => {
  try {
    mkdirSync(folder, { recursive: true });
    writeFileSync(own, `${process.pid} ${startOf(process.pid)}\n`, { flush: true });
    return statSync(own).ino;
  } catch (error) {
    throw unusable(own, error);
  }
};

const unusable = (file: string, error: unknown): StartError =>
  new StartError(`cannot write ${file} (${(error as Error).message}): set TRACKLET_DATA to a writable folder`);

/** Removes the lock of a dead holder, unless another process has just done so and holds a lock of its own by now. */
const takeAway = (file: string, holder: string): void => {
  const aside = `${file}.${process.pid}.aside`;
  try {
    renameSync(file, aside);
  } catch {
    return;
  }
  if (read(aside) === holder) rmSync(aside, { force: true });
  else renameSync(aside, file);
};

const read = (file: string): string | undefined => {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
};

/** Does the process that wrote this text still run? */
const runs = (holder: string): boolean => {
  const [pid, start] = holder.trim().split(" ");
  if (!Number.isInteger(Number(pid)) || Number(pid) <= 0) return false;
  try {
    process.kill(Number(pid), 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
  return startOf(Number(pid)) === start;
};

/**
 * When a process began, as far as the system tells (Linux: clock ticks since the boot): a process id is given out
 * again, after a restart of a container at once. A zombie no longer runs.
 */
const startOf = (pid: number): string => {
  const stat = read(`/proc/${pid}/stat`);
  if (stat === undefined) return "unknown";
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" "); // from field 3, proc(5)
  return fields[0] === "Z" || fields[0] === "X" ? "ended" : fields[19]!;
};
