import { createReadStream, createWriteStream } from "node:fs";
import { rename, rm, stat } from "node:fs/promises";
import { pipeline as connect, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { createGunzip, createGzip } from "node:zlib";
import { DEFAULT_WORKSPACE, parseJson } from "../base/exact-text.js";
import { fileReason, StartError } from "../base/start-error.js";
import type { Database, Query } from "../database/database.js";
import { buildOf, versionsOf } from "../database/migrations.js";
import { createSettled } from "../database/settled.js";
import { isUnavailable } from "../database/sql-state.js";
import { noteReading } from "../deletion/audit.js";
import manifest from "../package.json" with { type: "json" };
import { idOfDatabase } from "../records/archives.js";
import type { Commands } from "./commands.js";
import { type Counts, countRows, listTables, tellCounts, writeScript } from "./copy.js";
import { untilSettled } from "./follow.js";

/** The command that writes the whole database into one file, beside a running service, too. */
export const addDumpCommand = ({ program, over, say, bounds, stdout }: Commands) =>
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
): Promise<Header> => {
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
    await writeDump(to, { ...header, most }, writeScript(copying, tables));
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

/*
 * A dump is a file of gzip: one line that says what is in it, as a comment, and a script of COPY as pg_dump writes it: where the tables
 * are, `zcat FILE | psql` loads it as well. The checksum is that of gzip.
 */

/** What a dump says of itself. */
interface Header {
  /** Version of the service that made it. */
  build: string;
  /** Versions of the tables, of which it may not know the last ones. */
  tables: string[];
  /** Version of the service that knows all of them. */
  tablesOf?: string;
  /** ISO 8601. */
  taken: string;
  /** The first id that was not settled. */
  settled: string;
  rows: Counts;
}

const MARK = "-- dump of tracklet, form 1: ";

/** Of a dump that would be larger than it may. */
export class TooLarge extends Error {}

/** Lets so many bytes through. @throws TooLarge where there are more */
const atMost = (most: number) =>
  async function* (chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    let bytes = 0;
    for await (const chunk of chunks) {
      bytes += chunk.length;
      if (bytes > most) throw new TooLarge(`it takes more than ${most} bytes`);
      yield chunk;
    }
  };

/** @throws StartError where something else than a file has the name, which would take its place: a folder, a device, a pipe */
const requirePlain = async (file: string): Promise<void> => {
  const there = await stat(file).catch(() => undefined);
  if (there !== undefined && !there.isFile())
    throw new StartError(`${file} is no plain file, whose place the dump would take: - writes it to stdout`);
};

/**
 * Writes a dump to a stream, which stays open where it is that of this process; or into a file for its owner alone, which has its name
 * only once all is in it and on the disk. @throws TooLarge
 */
const writeDump = async (
  to: string | Writable,
  { most = Number.POSITIVE_INFINITY, ...header }: Header & { most?: number | undefined },
  script: AsyncIterable<Buffer>,
): Promise<void> => {
  async function* all() {
    yield `${MARK}${JSON.stringify(header)}\n`;
    yield* script;
  }
  // The fastest: others take several times as long for a tenth less.
  const packed = createGzip({ level: 1 });
  if (typeof to !== "string") return pipeline(all, packed, to, { end: to !== process.stdout });
  const part = `${to}.part`;
  try {
    await rm(part, { force: true });
    await pipeline(all, packed, atMost(most), createWriteStream(part, { mode: 0o600, flush: true }));
    await rename(part, to);
  } catch (error) {
    await rm(part, { force: true });
    throw unusable(to, "written", error);
  }
};

/** @throws StartError when the file cannot be read, or is no dump */
export const readHeader = async (file: string): Promise<Header> => {
  let text = "";
  try {
    for await (const chunk of readDump(file)) {
      text += chunk;
      if (text.includes("\n") || text.length > MAX_LINE) break;
    }
  } catch (error) {
    // It is none of gzip's.
    if (!/incorrect header check/.test((error as Error).message)) throw error;
  }
  if (!text.startsWith(MARK)) throw new StartError(`${file} is no dump of the service`);
  return parseJson(text.slice(MARK.length, text.indexOf("\n"))) as Header;
};

/** Characters that are read for the line of a header. */
const MAX_LINE = 65_536;

/** The bytes of the script. @throws StartError where the file is not as it was written, which may be known at its end */
export async function* readDump(file: string): AsyncGenerator<Buffer> {
  const unpacked = createGunzip({ chunkSize: MAX_LINE });
  // Its errors are those of what it is read into.
  connect(createReadStream(file), unpacked, () => {});
  try {
    yield* unpacked;
  } catch (error) {
    throw unusable(file, "read", error);
  }
}

/** What a file and its compression say of themselves, in words; other errors are left alone. */
const unusable = (file: string, how: string, error: unknown): unknown => {
  const { code = "", syscall, message } = error as NodeJS.ErrnoException;
  if ((isUnavailable(error) && code !== "ENOSPC") || (syscall === undefined && !code.startsWith("Z_"))) return error;
  return new StartError(
    `${file} cannot be ${how}: ${code.startsWith("Z_") ? `it is damaged (${message})` : fileReason(error as Error)}`,
  );
};

/** Those that are connected to this database with the same role but for two: processes of the service, and who follows it. */
const others = (own: number) => `SELECT count(*) AS result FROM pg_stat_activity
  WHERE datname = current_database() AND usename = current_user AND backend_type = 'client backend'
    AND pid NOT IN (pg_backend_pid(), ${own}) AND application_name NOT LIKE 'citus%'`;

/** Is the database spread by Citus? No transaction there sees one moment of all nodes. */
const isSpread = async (query: Query): Promise<boolean> =>
  (await query("SELECT 1 AS found FROM pg_extension WHERE extname = 'citus'")).length > 0;

/** Milliseconds that a connection may take that is just being closed, and between two looks for it. */
const [CLOSING_MS, LOOK_MS] = [2_000, 50];

/**
 * @param query asks outside of a transaction: one would be told the same again and again
 * @param own the process of the server that has another connection of this command
 * @throws StartError where somebody else is connected
 */
export const requireAlone = async (query: Query, own = 0): Promise<void> => {
  const spread = await isSpread(query);
  const until = performance.now() + CLOSING_MS;
  for (;;) {
    const rows = await (spread
      ? query<{ result: unknown }>("SELECT result FROM run_command_on_all_nodes($1)", [others(own)])
      : query<{ result: unknown }>(others(own)));
    const count = rows.reduce((sum, { result }) => sum + Number(result), 0);
    if (count === 0) return;
    if (performance.now() > until)
      throw new StartError(
        `others are connected to the database (${count} connections of the same role): stop the service, and who follows it`,
      );
    await sleep(LOOK_MS);
  }
};
