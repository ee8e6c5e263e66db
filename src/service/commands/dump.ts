import { createReadStream, createWriteStream } from "node:fs";
import { rename, rm, stat } from "node:fs/promises";
import { pipeline as connect, PassThrough, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import { DEFAULT_WORKSPACE, parseJson, readLines } from "../base/exact-text.js";
import { fileReason, StartError } from "../base/start-error.js";
import { type Copying, countIn, type Database, type Query } from "../database/database.js";
import { askNode, createSettled, idAt } from "../database/event-id.js";
import { versionsOf } from "../database/migrations.js";
import { isServed } from "../database/postgres/open-postgres.js";
import { TABLES } from "../database/postgres/spread.js";
import { isUnavailable } from "../database/sql-state.js";
import { noteReading } from "../deletion/audit.js";
import { keyIn } from "../deletion/tombstones.js";
import manifest from "../package.json" with { type: "json" };
import { idOfDatabase } from "../records/known-archives.js";
import type { Commands, Say } from "./context.js";

/** A table with all of its columns, as COPY names it. */
interface Table {
  name: string;
  columns: string;
}

/** The versions of the tables are those of a database itself: they are not copied. */
const OWN = "schema_migrations";

/** All tables of the schema: also what a newer build has made, which was gone back from. Of others there, those that can be read. */
export const listTables = (query: Query): Promise<Table[]> =>
  query<Table>(
    `SELECT relname::text AS name, string_agg(quote_ident(attname), ', ' ORDER BY attnum) AS columns
     FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
     WHERE relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = to_regclass('events')) AND relkind = 'r'
       AND relname <> $1 AND (relname = ANY($2) OR has_table_privilege(attrelid, 'SELECT'))
       AND NOT EXISTS (SELECT 1 FROM pg_depend WHERE objid = attrelid AND deptype = 'e') AND attnum > 0 AND NOT attisdropped
     GROUP BY 1 HAVING bool_and(relname || attname ~ '^[a-z0-9_]+$') ORDER BY 1`,
    [OWN, Object.keys(TABLES)],
  );

/**
 * Has PostgreSQL count what was filled. It does so by itself some minutes later, and plans each question until then as if
 * the tables were as they were before.
 */
export const analyze = async ({ query }: Pick<Database, "query">): Promise<void> => {
  await query(`ANALYZE ${(await listTables(query)).map(({ name }) => name).join(", ")}`);
};

type Counts = Record<string, number>;

export const countRows = async (query: Query, tables: readonly Table[]): Promise<Counts> => {
  const counts: Counts = {};
  for (const { name } of tables) counts[name] = await countIn(query, name);
  return counts;
};

export const tellCounts = (counts: Counts): string => {
  const all = Object.values(counts).reduce((sum, one) => sum + one, 0);
  return `${all} rows of ${Object.keys(counts).length} tables, ${counts.events} of them events`;
};

/*
 * The rows of tables as one script: `COPY … FROM stdin;`, the rows as text, and `\.` in a line of its own, which no row can be.
 */

const END = "\\.";

export async function* writeScript({ read }: Copying, tables: readonly Table[]): AsyncGenerator<Buffer | string> {
  for (const { name, columns } of tables) {
    const what = `${name} (${columns})`;
    yield `COPY ${what} FROM stdin;\n`;
    yield* read(what);
    yield `${END}\n`;
  }
}

/**
 * Loads a script into tables, which are empty. What is not there is none of the service, and left out.
 *
 * @param counts how many rows each table has
 * @returns those of the tables that were loaded
 * @throws Error that names a table which has not as many rows as it must have
 */
export const loadScript = async (
  { query, write }: Copying,
  script: AsyncIterable<Buffer | string>,
  { counts, say }: { counts: Counts; say: Say },
): Promise<Counts> => {
  const tables = await listTables(query);
  const isMade = (name: string) => tables.some((one) => one.name === name);
  const lines = readLines(script);
  try {
    for (let next = await lines.next(); !next.done; next = await lines.next()) {
      if (next.value.startsWith("-- ")) continue;
      const [, what, name] = /^COPY ((\w+) \([\w", ]+\)) FROM stdin;$/.exec(next.value) ?? [];
      if (what === undefined) throw new Error("it is no script of COPY");
      await pipeline(rowsOf(lines), isMade(name!) ? write(what) : new PassThrough().resume());
    }
  } finally {
    // What is read no further would hold up its connection.
    await lines.return(undefined);
  }
  const loaded = await countRows(query, tables);
  for (const [name, rows] of Object.entries(counts))
    if (!isMade(name)) say(`left out the table ${name}: it is none of the service`);
    else if (loaded[name] !== rows) throw new Error(`the table ${name} has ${loaded[name]} rows in place of ${rows}`);
  await analyze({ query });
  return loaded;
};

/** Characters of rows that are handed on at a time, and bytes that are unpacked. */
const CHUNK = 65_536;

async function* rowsOf(lines: AsyncGenerator<string>): AsyncGenerator<string> {
  let rows = "";
  for (let next = await lines.next(); next.value !== END; next = await lines.next()) {
    if (next.done) throw new Error("it ends too early");
    rows += `${next.value}\n`;
    if (rows.length < CHUNK) continue;
    yield rows;
    rows = "";
  }
  if (rows !== "") yield rows;
}

/** The command that writes the whole database into one file, beside a running service, too. */
export const addDumpCommand = ({ program, use, say, bounds, stdout }: Commands) =>
  program
    .command("dump")
    .description("writes all tables, as they are at one moment, into one file, which `restore` reads")
    .argument("<file>", "which is made, or replaced; - writes to stdout")
    .action(async (file: string) => {
      const to = file === "-" ? stdout : file;
      if (to === file) await requirePlain(file);
      await use(async (database) =>
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
  // No transaction there sees one moment of all nodes.
  if ((await askNode(query)) !== undefined && (await isServed(query)))
    throw new StartError("a service runs on the cluster, which is dumped while none does: stop it");
  // So that each dump has the key of the erasures that come after it.
  await keyIn(query);
  const own = await idOfDatabase(query);
  await noteReading(query, { workspace: DEFAULT_WORKSPACE, what: "dumped all tables" }, say);
  const end = idAt(await createSettled(query, bounds)());
  return copying!(async (copying) => {
    const tables = await listTables(copying.query);
    const followed = await copying.query<{ id: string }>("SELECT id FROM counted WHERE id IS NOT NULL");
    const header = {
      build: manifest.version,
      database: own,
      tables: await versionsOf(copying.query),
      taken: new Date().toISOString(),
      // Another process may have found more to be settled, and counted it.
      settled: [end, ...followed.map(({ id }) => id)].toSorted().at(-1)!,
      rows: await countRows(copying.query, tables),
    };
    await writeDump(to, { ...header, most }, writeScript(copying, tables));
    return header;
  });
};

/*
 * A dump is a file of gzip: one line that says what is in it, as a comment, and a script of COPY as pg_dump writes it: where the tables
 * are, `zcat FILE | psql` loads it as well. The checksum is that of gzip.
 */

interface Header {
  /** Version of the service that made it. */
  build: string;
  /** The id of the database, which an archive knows. */
  database: string;
  /** Versions of the tables, of which it may not know the last ones. */
  tables: string[];
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
  script: AsyncIterable<Buffer | string>,
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
  const lines = readLines(readDump(file));
  const { value } = await lines.next().catch((error: Error) => {
    // It is none of gzip's.
    if (!/incorrect header check/.test(error.message)) throw error;
    return { value: undefined };
  });
  await lines.return(undefined);
  if (!value?.startsWith(MARK)) throw new StartError(`${file} is no dump of the service`);
  return parseJson(value.slice(MARK.length)) as Header;
};

/** The bytes of the script. @throws StartError where the file is not as it was written, which may be known at its end */
export async function* readDump(file: string): AsyncGenerator<Buffer> {
  const unpacked = createGunzip({ chunkSize: CHUNK });
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
