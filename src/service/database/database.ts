import type { Readable, Writable } from "node:stream";

/** One SQL statement with `$1` parameters; resolves to its rows. */
export type Query = <Row = Record<string, unknown>>(sql: string, parameters?: unknown[]) => Promise<Row[]>;

/** One of several that are sent at once. */
export interface Statement {
  /** Under which a connection keeps it prepared: one name, one text. */
  name: string;
  text: string;
  values: unknown[];
}

export type Written = Record<string, unknown>[][];

/** A part of the spread tables that lies on one node. */
export interface Shard {
  id: number;
  node: number;
}

/** A transaction that sees one moment, and through which whole tables flow as text (PostgreSQL's COPY). */
export interface Copying {
  query: Query;
  /** The rows of a table. @param what its name and columns, as in `events (contact_id, id)` */
  read(what: string): Readable;
  /** Takes such rows; has finished when all are in the table. */
  write(what: string): Writable;
}

/** What is not urgent: so much of it at a time that events need not wait. */
export interface Beside extends Pick<Database, "query" | "transaction"> {
  /** Cancels what is under way and waits, which fails as if the server stopped; so does what comes later. */
  cancel(): void;
}

/** What the service needs of a database: the same over a PostgreSQL of its own and over a given one. */
export interface Database {
  query: Query;
  /**
   * Runs `work` in one transaction. `work` may run more than once: the databases that this SQL runs on are
   * allowed to ask for a repetition, so it must not have effects outside the transaction.
   */
  transaction<T>(work: (query: Query) => Promise<T>): Promise<T>;
  /**
   * Runs statements in one transaction and sends them at once; resolves to the rows of each when they are committed, all or none.
   *
   * @param node that of the rows' shards: any other one does it, too, but asks that one
   */
  write(statements: readonly Statement[], node?: number): Promise<Written>;
  /** The same database for what is not urgent. @param most at a time */
  beside(most: number): Beside;
  /** Where the rows of a contact lie; nothing, or absent, where the tables are not spread over nodes. */
  shardOf?(contactId: string): Shard | undefined;
  /** Takes what was deleted out of the files; absent where whoever runs the server sees to that. */
  tidy?(): Promise<void>;
  /** Runs `work` once, in one transaction by a connection of its own; what a command has opened can do that. */
  copying?<T>(work: (copying: Copying) => Promise<T>): Promise<T>;
  /** The data folder of a PostgreSQL of its own; absent where one is given. */
  folder?: string;
  /** Ends it soon: what is under way then fails. */
  close(): Promise<void>;
}

/** How many rows there are. @param from what stands behind `FROM`, as in `events WHERE workspace = $1` */
export const countIn = async (query: Query, from: string, values: unknown[] = []): Promise<number> =>
  (await query<{ count: number }>(`SELECT count(*) AS count FROM ${from}`, values))[0]!.count;

/** Says that a transaction is to be taken back. */
const TAKE_BACK = new Error("read only");

/** Runs statements that may change nothing: each in a transaction that only reads, and is taken back. @param limitMs ends one that takes longer */
export const readOnly =
  ({ transaction }: Database, limitMs = 0): Query =>
  async <Row>(sql: string, parameters: unknown[] = []): Promise<Row[]> => {
    let rows: Row[] = [];
    await transaction(async (query) => {
      await query("SET TRANSACTION READ ONLY");
      if (limitMs > 0) await query(`SET LOCAL statement_timeout = ${limitMs}`);
      rows = await query<Row>(sql, parameters);
      throw TAKE_BACK;
    }).catch((error) => {
      if (error !== TAKE_BACK) throw error;
    });
    return rows;
  };
