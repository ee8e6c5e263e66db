/** What the commands have in common: options, how they reach the database, and where they write. */
import type { Writable } from "node:stream";
import { type Command, InvalidArgumentError, Option } from "commander";
import { listWorkspaces } from "../access/token-store.js";
import { DEFAULT_WORKSPACE } from "../base/exact-text.js";
import { StartError } from "../base/start-error.js";
import { readTime, TIME_EXPECTED } from "../base/times.js";
import type { ServiceConfig } from "../config/options.js";
import { type Database, type Query, readOnly } from "../database/database.js";
import { openDatabase } from "../database/open-database.js";
import type { Needs } from "../database/postgres/postgres.js";
import type { Bounds } from "../database/transaction-time.js";

/** Where results go; the process's own unless a test says otherwise. */
export interface Output {
  stdout: Writable;
  stderr: Writable;
}

export interface Commands {
  program: Command;
  config: ServiceConfig;
  /** Whose data; made anew for each command that has this option. */
  workspace(): Option;
  /** A number of days. */
  days(flags: string, what: string): Option;
  /** Times of receipt; made anew likewise. */
  since(what: string): Option;
  until(what: string): Option;
  /** Runs `work` over the database. @param needs Default: the tables of this build */
  over(work: (database: Database) => Promise<void>, needs?: Needs): Promise<void>;
  /** The same over what only reads. */
  reading(work: (query: Query, database: Database) => Promise<void>): Promise<void>;
  say(line: string): void;
  /** Writes to stdout. */
  write(lines: readonly string[]): void;
  bounds: Bounds;
}

/** What commands of `program` are given. */
export const createCommands = (
  program: Command,
  { config, bounds, stdout, stderr }: Pick<Commands, "config" | "bounds"> & Output,
): Commands => {
  const workspace = () =>
    new Option("--workspace <name>", "whose data").default(DEFAULT_WORKSPACE).argParser((name: string) => {
      asked = name;
      return name;
    });
  let asked: string | undefined;
  const over: Commands["over"] = async (work, needs = "tables") => {
    const database = await openDatabase(config, needs, say);
    try {
      if (asked !== undefined && !(await listWorkspaces(database.query)).includes(asked))
        throw new StartError(`there is no workspace "${asked}"; see tracklet-service workspace list`);
      await work(database);
    } finally {
      await database.close();
    }
  };
  const reading: Commands["reading"] = (work) => over((database) => work(readOnly(database), database));
  const say = (line: string) => void stderr.write(`${line}\n`);
  const since = (what: string) => new Option("--since <time>", what).argParser(timeArgument);
  const until = (what: string) => new Option("--until <time>", what).argParser(timeArgument);
  const days = (flags: string, what: string) => new Option(flags, what).argParser(daysArgument);
  const write = (lines: readonly string[]) => void stdout.write(lines.join(""));
  return { program, config, workspace, days, since, until, over, reading, say, write, bounds };
};

const daysArgument = (value: string): number => {
  if (!/^[1-9]\d*$/.test(value)) throw new InvalidArgumentError("It must be a number of days, such as 365");
  return Number(value);
};

const timeArgument = (value: string): number => {
  const time = readTime(value);
  if (time === undefined) throw new InvalidArgumentError(`It ${TIME_EXPECTED}`);
  return time;
};
