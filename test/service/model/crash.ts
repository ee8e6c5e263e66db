/*
 * Loaded into a process of the service by `--import`, before all else: numbers the statements that go out and the operations on files, and kills
 * the process after the one that `MODEL_CRASH` says. `MODEL_POINTS` is a file that gets a line for each. With `MODEL_ARMED=later` it
 * counts from the signal SIGUSR2 on.
 */
import fs from "node:fs";
import promises from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import pg from "pg";

const [at, points] = [Number(process.env.MODEL_CRASH ?? 0), process.env.MODEL_POINTS];
// Opened before anything is replaced: what is written there is no operation.
const lines = points === undefined ? undefined : fs.openSync(points, "a");
const { writeSync } = fs;
let isArmed = process.env.MODEL_ARMED !== "later";
let count = 0;
process.on("SIGUSR2", () => {
  isArmed = true;
});

/** Something was done. */
const pass = (what: string): void => {
  if (!isArmed) return;
  count += 1;
  if (lines !== undefined) writeSync(lines, `${what.replaceAll(/\s+/g, " ").slice(0, 100)}\n`);
  if (count === at) process.kill(process.pid, "SIGKILL");
};

type Any = (this: unknown, ...given: unknown[]) => unknown;
const passes = (name: string, work: Any): Any =>
  function (...given) {
    const result = work.apply(this, given);
    if (result instanceof Promise) return result.finally(() => pass(name));
    pass(name);
    return result;
  };

// The one place where statements go out; a stream of COPY counts where it begins.
const { query } = pg.Client.prototype as unknown as { query: Any };
pg.Client.prototype.query = function (this: unknown, ...given: unknown[]) {
  const [asked] = given as [string | { text?: string; name?: string }];
  const text = typeof asked === "string" ? asked : (asked.name ?? asked.text ?? "COPY");
  return passes(text, query).apply(this, given);
} as never;

const OPERATIONS = "writeFile appendFile rename rm unlink mkdir open truncate copyFile symlink";
for (const name of OPERATIONS.split(" ")) {
  const [later, now] = [promises, fs] as unknown as Record<string, Any>[];
  later![name] = passes(name, later![name]!);
  now![`${name}Sync`] = passes(name, now![`${name}Sync`]!);
}
fs.fsyncSync = passes("fsync", fs.fsyncSync as Any) as never;
syncBuiltinESMExports();
