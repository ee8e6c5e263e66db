import { Type } from "typebox";
import { Compile } from "typebox/compile";
import { SECONDS } from "../../base/times.js";
import type { Database, Query } from "../../database/database.js";
import { writeAtGeneration } from "../../database/generation.js";
import { transactInTime } from "../../database/transaction-time.js";
import { type Table, type Told, TRAITS, Uid, writeRecords } from "../../person/traits.js";
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

/** Lines that are written in one transaction. */
const CHUNK = 500;

/** What a line of each table must be. */
export const LINES = { accounts: Compile(Account), contacts: Compile(Contact), users: Compile(User) };

/**
 * Stores records, but for contacts that were erased after what a line tells of them; resolves to the number of those. A line that
 * does not say since when there is such a contact tells of the one that was erased.
 */
export const storeRecords = async (
  database: Database,
  lines: AsyncIterable<Told>,
  { table, workspace }: { table: Table; workspace: string },
): Promise<number> => {
  const { generation, erased: graves } = await readState(database);
  let erased = 0;
  let chunk: Told[] = [];
  const store = async () => {
    const contactOf = ({ unique_id }: Told) => ({ workspace, contactUid: unique_id! });
    const stored = await writeAtGeneration(generation, async (believed) => {
      const erasedAt = await graves.of(table === "contacts" ? chunk.map(contactOf) : []);
      const lines = chunk.filter((line) => {
        const at = erasedAt(contactOf(line));
        return at === undefined || (line.created_at ?? 0) * 1_000 >= at;
      });
      const write = (query: Query) => writeRecords(query, table, workspace, lines);
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
