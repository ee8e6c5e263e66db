import type { Writable } from "node:stream";
import { type Command, InvalidArgumentError, Option } from "commander";
import { listWorkspaces } from "../access/tokens.js";
import { DEFAULT_WORKSPACE } from "../base/exact-text.js";
import { StartError } from "../base/start-error.js";
import { readTime, TIME_EXPECTED } from "../base/times.js";
import type { ServiceConfig } from "../config/options.js";
import { type Database, type Query, readOnly } from "../database/database.js";
import type { Bounds } from "../database/event-id.js";
import { openDatabase } from "../database/open-database.js";
import type { Needs } from "../database/postgres/open-postgres.js";

/** What the commands have in common: options, how they reach the database, and where they write. */

/** What commands are told, and where results go; the process's own streams unless a test says otherwise. */
export interface Shell {
  config: ServiceConfig;
  bounds: Bounds;
  stdout: Writable;
  stderr: Writable;
}

export type Say = (line: string) => void;
export type Commands = ReturnType<typeof createCommands>;

/** What commands of `program` are given; options are made anew for each that has them. */
export const createCommands = (program: Command, told: Shell) => {
  const { config, stdout, stderr } = told;
  const say: Say = (line) => void stderr.write(`${line}\n`);
  let asked: string | undefined;
  const named = (name: string): string => {
    asked = name;
    return name;
  };
  /** Runs `work` with the database. @param needs Default: the tables of this build */
  const use = async (work: (database: Database) => Promise<void>, needs: Needs = "tables"): Promise<void> => {
    const database = await openDatabase(config, needs, say);
    try {
      if (asked !== undefined && !(await listWorkspaces(database.query)).includes(asked))
        throw new StartError(`there is no workspace "${asked}"; see tracklet-service workspace list`);
      await work(database);
    } finally {
      await database.close();
    }
  };
  return {
    ...told,
    program,
    say,
    use,
    /** The same with what only reads. */
    read: (work: (query: Query, database: Database) => Promise<void>) =>
      use((database) => work(readOnly(database), database)),
    write: (lines: readonly string[]) => void stdout.write(lines.join("")),
    workspace: () => new Option("--workspace <name>", "whose data").default(DEFAULT_WORKSPACE).argParser(named),
    named,
    since: (what: string) => new Option("--since <time>", what).argParser(timeArgument),
    until: (what: string) => new Option("--until <time>", what).argParser(timeArgument),
  };
};

const timeArgument = (value: string): number => {
  const time = readTime(value);
  if (time === undefined) throw new InvalidArgumentError(`It ${TIME_EXPECTED}`);
  return time;
};

export const daysArgument = (value: string): number => {
  if (!/^[1-9]\d*$/.test(value)) throw new InvalidArgumentError("It must be a number of days, such as 365");
  return Number(value);
};
