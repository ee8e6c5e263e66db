import { PassThrough } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Copying, Query } from "../database/database.js";
import { TABLES } from "../database/postgres/spread.js";
import type { Say } from "./commands.js";

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
export const analyze = async (query: Query): Promise<void> => {
  await query(`ANALYZE ${(await listTables(query)).map(({ name }) => name).join(", ")}`);
};

/** How many rows each table has. */
export type Counts = Record<string, number>;

export const countRows = async (query: Query, tables: readonly Table[]): Promise<Counts> => {
  const counts: Counts = {};
  for (const { name } of tables)
    counts[name] = Number((await query(`SELECT count(*) AS count FROM ${name}`))[0]!.count);
  return counts;
};

/** As the user is told it. */
export const tellCounts = (counts: Counts): string => {
  const all = Object.values(counts).reduce((sum, one) => sum + one, 0);
  return `${all} rows of ${Object.keys(counts).length} tables, ${counts.events} of them events`;
};

/*
 * The rows of tables as one script: `COPY … FROM stdin;`, the rows as text, and `\.` in a line of its own, which no row can be.
 */

const [BEGIN, BEHIND] = ["COPY ", " FROM stdin;"];
const END = Buffer.from("\n\\.\n");

/** Writes the tables of a database. */
export async function* writeScript({ read }: Copying, tables: readonly Table[]): AsyncGenerator<Buffer> {
  for (const { name, columns } of tables) {
    const what = `${name} (${columns})`;
    yield Buffer.from(`${BEGIN}${what}${BEHIND}\n`);
    yield* read(what);
    yield Buffer.from("\\.\n");
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
  script: AsyncIterable<Buffer>,
  { counts, say }: { counts: Counts; say: Say },
): Promise<Counts> => {
  const tables = await listTables(query);
  const isMade = (name: string) => tables.some((one) => one.name === name);
  for await (const { name, what, rows } of readScript(script))
    await pipeline(rows, isMade(name) ? write(what) : new PassThrough().resume());
  const loaded = await countRows(query, tables);
  for (const [name, rows] of Object.entries(counts))
    if (!isMade(name)) say(`left out the table ${name}: it is none of the service`);
    else if (loaded[name] !== rows) throw new Error(`the table ${name} has ${loaded[name]} rows in place of ${rows}`);
  await analyze(query);
  return loaded;
};

/** The rows of a table. */
interface Section {
  name: string;
  /** Its name and columns. */
  what: string;
  /** To be read to their end before the next section. */
  rows: AsyncIterable<Buffer>;
}

/** Reads what `writeScript` has written. @throws Error where it is something else, or ends too early */
async function* readScript(script: AsyncIterable<Buffer>): AsyncGenerator<Section> {
  const input = script[Symbol.asyncIterator]();
  let rest = Buffer.alloc(0);
  const more = async (): Promise<boolean> => {
    const { value, done } = await input.next();
    if (!done) rest = Buffer.concat([rest, value]);
    return !done;
  };
  /** Up to what follows them, which is taken away, too; the last bytes may be its beginning. */
  async function* until(end: Buffer): AsyncGenerator<Buffer> {
    for (;;) {
      const at = rest.indexOf(end);
      const upTo = at >= 0 ? at : Math.max(0, rest.length - end.length + 1);
      const [piece, behind] = [rest.subarray(0, upTo), rest.subarray(at >= 0 ? at + end.length : upTo)];
      rest = behind;
      if (piece.length > 0) yield piece;
      if (at >= 0) return;
      if (!(await more())) throw new Error("it ends too early");
    }
  }
  async function* rows(): AsyncGenerator<Buffer> {
    // The end of the line before belongs to the end of the rows: there may be none.
    rest = Buffer.concat([Buffer.from("\n"), rest]);
    let isFirst = true;
    for await (const piece of until(END)) {
      yield isFirst ? piece.subarray(1) : piece;
      isFirst = false;
    }
    if (!isFirst) yield Buffer.from("\n");
  }
  try {
    while (rest.length > 0 || (await more())) {
      let line = "";
      for await (const piece of until(Buffer.from("\n"))) line += piece;
      if (line.startsWith("-- ")) continue;
      const what = line.slice(BEGIN.length, -BEHIND.length);
      if (line !== `${BEGIN}${what}${BEHIND}` || !/^\w+ \([\w", ]+\)$/.test(what))
        throw new Error("it is no script of COPY");
      yield { name: what.slice(0, what.indexOf(" ")), what, rows: rows() };
    }
  } finally {
    // A table that nobody reads on would hold up its connection.
    await input.return?.();
  }
}
