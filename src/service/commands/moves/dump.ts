import type { Writable } from "node:stream";
import { DEFAULT_WORKSPACE } from "../../base/exact-text.js";
import { StartError } from "../../base/start-error.js";
import type { Database, Query } from "../../database/database.js";
import { buildOf, versionsOf } from "../../database/migrate.js";
import { createSettled } from "../../database/settled.js";
import { noteReading } from "../../deletion/audit.js";
import manifest from "../../package.json" with { type: "json" };
import { idOfDatabase } from "../../records/archives.js";
import type { Commands } from "../commands.js";
import { untilSettled } from "../export/follow.js";
import { isSpread, requireAlone } from "./alone.js";
import { type Header, requirePlain, streamDump, writeDump } from "./dump-file.js";
import { writeScript } from "./script.js";
import { countRows, listTables, tellCounts } from "./tables.js";

type Needed = Pick<Commands, "program" | "over" | "say" | "bounds">;

/** The command that writes the whole database into one file, beside a running service, too. */
export const addDumpCommand = ({ program, over, say, bounds }: Needed, stdout: Writable) =>
  program
    .command("dump")
    .description("writes all tables, as they are at one moment, into one file, which `restore` reads")
    .argument("<file>", "which is made, or replaced; - writes to stdout")
    .action(async (file: string) => {
      const to = file === "-" ? stdout : file;
      if (to === file) await requirePlain(file);
      await over(async (database) =>
        say(`wrote ${tellCounts((await dumpInto(database, to, { say, bounds })).rows)}`),
      ).catch((error) => {
        // Who reads has gone, and has no dump: it is no end to be quiet about.
        throw error.code === "EPIPE" ? new StartError("stdout was closed before all was written") : error;
      });
    });

/** Writes the whole database into a file, or a stream, beside a running service, too. @param most bytes of the file. Default: any number */
export const dumpInto = async (
  { query, copying }: Database,
  to: string | Writable,
  { say, bounds, most }: Pick<Commands, "say" | "bounds"> & { most?: number },
): Promise<Omit<Header, "sha256">> => {
  if (await isSpread(query)) await requireAlone(query);
  // So that an archive knows what is restored.
  await idOfDatabase(query);
  await noteReading(query, { workspace: DEFAULT_WORKSPACE, what: "dumped all tables" }, say);
  const waiting = { settled: createSettled(query, bounds), say };
  const end = await untilSettled(latest(await newestIds(query)), waiting);
  return copying!(async (copying) => {
    const tables = await listTables(copying.query);
    const header = {
      build: manifest.version,
      tables: await versionsOf(copying.query),
      tablesOf: await buildOf(copying.query),
      taken: new Date().toISOString(),
      settled: latest([end, ...(await followedIds(copying.query))])!,
      rows: await countRows(copying.query, tables),
    };
    const script = writeScript(copying, tables);
    await (typeof to === "string" ? writeDump(to, { ...header, most }, script) : streamDump(to, header, script));
    return header;
  });
};

const latest = (ids: readonly string[]): string | undefined => ids.toSorted().at(-1);

/** Of the rows that are followed. */
const newestIds = async (query: Query): Promise<string[]> => {
  const found: string[] = [];
  for (const { name } of await query<{ name: string }>("SELECT name FROM workspaces"))
    for (const table of ["events", "deletions"]) {
      const newest = `SELECT id FROM ${table} WHERE workspace = $1 ORDER BY id DESC LIMIT 1`;
      found.push(...(await query<{ id: string }>(newest, [name])).map(({ id }) => id));
    }
  return found;
};

/** How far the sums have come: another process may have found more to be settled. */
const followedIds = async (query: Query): Promise<string[]> =>
  (await query<{ id: string }>("SELECT id FROM sums_followed")).map(({ id }) => id);
