import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { StartError } from "./config.js";

/** Milliseconds between two looks at a lock file that is just being written. */
const WRITING_MS = 20;
const MAX_LOOKS = 50;

/**
 * Takes the lock file of a folder: its text is the process that holds it. A holder that no longer runs (it was
 * killed) loses it at once.
 *
 * @returns gives the lock back
 * @throws StartError when another process that runs holds it
 */
export const lockFolder = async (folder: string): Promise<() => void> => {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, "service.lock");
  const self = `${process.pid} ${startOf(process.pid)}\n`;
  for (let looks = 0; ; looks += 1) {
    try {
      writeFileSync(file, self, { flag: "wx" });
      const unlock = (): void => {
        process.off("exit", unlock);
        if (read(file) === self) rmSync(file, { force: true });
      };
      process.on("exit", unlock);
      return unlock;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST")
        throw new StartError(
          `cannot write ${file} (${(error as Error).message}): set TRACKLET_DATA to a writable folder`,
        );
    }
    const holder = read(file);
    if (holder !== undefined && !holder.endsWith("\n") && looks < MAX_LOOKS) await sleep(WRITING_MS);
    else if (holder !== undefined && runs(holder))
      throw new StartError(
        `the data folder ${folder} is in use by process ${holder.split(" ")[0]}: stop it, or set TRACKLET_DATA to another folder`,
      );
    else if (holder !== undefined) takeAway(file, holder);
  }
};

/** Removes the lock of a dead holder, unless another process has just done so and holds a lock of its own by now. */
const takeAway = (file: string, holder: string): void => {
  const aside = `${file}.${process.pid}`;
  try {
    renameSync(file, aside);
  } catch {
    return;
  }
  const taken = read(aside);
  if (taken !== undefined && taken !== holder) writeFileSync(file, taken, { flag: "w" });
  rmSync(aside, { force: true });
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
