import { type Static, Type } from "typebox";
import { Compile } from "typebox/compile";
import { digest, encodeText, recordId } from "../../base/exact-text.js";
import { StartError } from "../../base/start-error.js";
import { SECONDS } from "../../base/times.js";
import type { Database, Query } from "../../database/database.js";
import { writeAtGeneration } from "../../database/generation.js";
import { transactInTime } from "../../database/transaction-time.js";
import { makeRecords } from "../../ingest/store/make-records.js";
import { columnsOf, newRecord, TRAITS, Uid } from "../../person/traits.js";
import { readState } from "./state.js";

const strict = { additionalProperties: false };
const keys = {
  /** Given out by the service, and written by `export`; derived from `unique_id` anew. */
  id: Type.Optional(Type.String()),
  unique_id: Uid,
};
const Account = Type.Object({ ...keys, ...TRAITS.account }, strict);
const Contact = Type.Object({ ...keys, ...TRAITS.contact }, strict);
const User = Type.Object(
  {
    id: Type.Optional(Uid),
    email: Uid,
    name: Type.String(),
    role: Type.String(),
    enabled: Type.Optional(Type.Boolean()),
    created_at: Type.Optional(Type.Integer(SECONDS)),
  },
  strict,
);
export type Line = Partial<Static<typeof Contact> & Static<typeof User>>;
type Row = Record<string, unknown>;

/** Lines that are written in one transaction. */
const CHUNK = 500;

/** The columns of a table with their types; those of a record that a line leaves out keep what they hold. */
export const TABLES = {
  accounts: {
    line: Compile(Account),
    columns: { id: "uuid", unique_id: "text", created_at: "bigint", data: "text", stage: "text", health: "bigint" },
  },
  contacts: {
    line: Compile(Contact),
    columns: {
      ...{ id: "uuid", unique_id: "text", created_at: "bigint", archived: "bool" },
      ...{ data: "text", stage: "text", health: "bigint" },
    },
  },
  users: {
    line: Compile(User),
    columns: { id: "text", email: "text", name: "text", role: "text", enabled: "bool", created_at: "bigint" },
  },
};
export type Table = keyof typeof TABLES;

/**
 * Stores records, but for contacts that were erased after what a line tells of them; resolves to the number of those. A line that
 * does not say since when there is such a contact tells of the one that was erased.
 */
export const storeRecords = async (
  database: Database,
  lines: AsyncIterable<Line>,
  { table, workspace }: Omit<Chunk, "lines">,
): Promise<number> => {
  const { generation, erased: graves } = await readState(database);
  let erased = 0;
  let chunk: Line[] = [];
  const store = async () => {
    const contactOf = ({ unique_id }: Line) => ({ workspace, contactUid: unique_id! });
    const stored = await writeAtGeneration(generation, async (believed) => {
      const erasedAt = await graves.of(table === "contacts" ? chunk.map(contactOf) : []);
      const lines = chunk.filter((line) => {
        const at = erasedAt(contactOf(line));
        return at === undefined || (line.created_at ?? 0) * 1_000 >= at;
      });
      const write = (query: Query) => storeLines(query, { table, workspace, lines });
      if (lines.length > 0) await transactInTime(database, write, { generation: believed });
      return lines.length;
    });
    erased += chunk.length - stored;
    chunk = [];
  };
  for await (const line of lines) {
    chunk.push(line);
    if (chunk.length === CHUNK) await store();
  }
  await store();
  return erased;
};

export const idOf = (table: Table, workspace: string, { id, unique_id, email }: Line): string =>
  table === "users"
    ? (id ?? digest(`user:${workspace}/${email}`))
    : recordId(table === "accounts" ? "account" : "contact", unique_id!, workspace);

interface Chunk {
  table: Table;
  workspace: string;
  lines: Line[];
}

const storeLines = async (query: Query, { table, workspace, lines }: Chunk): Promise<void> => {
  const columns = Object.keys(TABLES[table].columns);
  const ids = lines.map((line) => idOf(table, workspace, line));
  const present = await query<Row>(
    `SELECT ${columns.join(", ")}, workspace FROM ${table} WHERE id IN (SELECT unnest($1::${TABLES[table].columns.id}[]))`,
    [ids],
  );
  const old = new Map(present.map((row) => [row.id, row]));
  const rows = lines.map((line, at) => {
    const before = old.get(ids[at]);
    if (before !== undefined && before.workspace !== workspace)
      throw new StartError(`the id ${ids[at]} belongs to another workspace`);
    return { ...newRecord(), ...before, ...stored(line), id: ids[at] } as Row;
  });
  const changes = columns.filter((name) => name !== "id").map((name) => `${name} = excluded.${name}`);
  const values = rows.map((row) => [...columns.map((name) => row[name] ?? null), workspace]);
  const marks = values.map((row, at) => `(${row.map((_, column) => `$${at * row.length + column + 1}`).join(", ")})`);
  await query(
    `INSERT INTO ${table} (${columns.join(", ")}, workspace) VALUES ${marks.join(", ")}
     ON CONFLICT (id) DO UPDATE SET ${changes.join(", ")}`,
    values.flat(),
  );
  const told = lines.flatMap(({ unique_id, accounts = [] }) =>
    accounts.map((accountUid) => ({ workspace, contactUid: unique_id!, accountUid, receivedAt: Date.now() })),
  );
  for (const { text, values } of makeRecords(told)) await query(text, values);
};

/** A line's members as columns hold them. */
const stored = ({ unique_id, ...rest }: Line): Row => ({
  ...columnsOf(rest),
  ...(unique_id !== undefined && { unique_id: encodeText(unique_id) }),
});
