import type { Database, Query } from "../../database/database.js";
import { moveGeneration } from "../../database/generation.js";

/** Records that a step looks at. */
const CHUNK = 5_000;
/** Parts of all ids. A run looks at one: so each record is looked at once a day, and no place needs to be kept. */
export const PARTS = 24;

/** The first and the last id of a part. Ids are digests, so parts are of one size. */
const boundsOf = (part: number): [string, string] => {
  const at = (number: number) => Math.floor((number * 2 ** 32) / PARTS);
  const hex = (start: number) => start.toString(16).padStart(8, "0");
  return [`${hex(at(part))}-0000-0000-0000-000000000000`, `${hex(at(part + 1) - 1)}-ffff-ffff-ffff-ffffffffffff`];
};

/** Nobody has said more of a record than its uid. */
export const BARE = "data = '{}' AND stage IS NULL AND health IS NULL";
/** And it was made before a time (in seconds). */
const OLD = `${BARE} AND created_at < $3`;

/** @returns the ids of those that are deleted */
type Remove = (query: Query, range: unknown[]) => Promise<string[]>;

const removeContacts: Remove = async (query, range) => {
  const gone = await query<{ id: string }>(
    `DELETE FROM contacts WHERE id >= $1 AND id <= $2 AND ${OLD} AND NOT archived
     AND NOT EXISTS (SELECT 1 FROM events WHERE contact_id = contacts.id) RETURNING id`,
    range,
  );
  const ids = gone.map(({ id }) => id);
  if (ids.length > 0) await query("DELETE FROM account_contacts WHERE contact_id = ANY($1::uuid[])", [ids]);
  return ids;
};

/** In steps: an account may lie on another node than its memberships. */
const removeAccounts: Remove = async (query, range) => {
  const bare = await query<{ id: string }>(`SELECT id FROM accounts WHERE id >= $1 AND id <= $2 AND ${OLD}`, range);
  const ids = bare.map(({ id }) => id);
  const used = await query<{ id: string }>(
    "SELECT DISTINCT account_id AS id FROM account_contacts WHERE account_id = ANY($1::uuid[])",
    [ids],
  );
  const kept = new Set(used.map(({ id }) => id));
  const unused = ids.filter((id) => !kept.has(id));
  if (unused.length > 0) await query("DELETE FROM accounts WHERE id = ANY($1::uuid[])", [unused]);
  return unused;
};

/**
 * Deletes records that only events told of, once these are gone: contacts with their memberships, and accounts to which nobody
 * belongs any more. An event that comes later makes its records anew. Resolves to their number.
 *
 * @param before epoch milliseconds, from when on a record is too young
 * @param turn which part of all ids is looked at
 */
export const deleteBareRecords = async (
  { transaction }: Pick<Database, "transaction">,
  before: number,
  turn: number,
): Promise<number> => {
  const [first, last] = boundsOf(turn % PARTS);
  let deleted = 0;
  for (const [table, remove] of [
    ["contacts", removeContacts],
    ["accounts", removeAccounts],
  ] as const)
    for (let from: string | undefined = first; from !== undefined; ) {
      const step = async (query: Query, begin: string): Promise<{ gone: number; next: string | undefined }> => {
        const page = `SELECT id FROM ${table} WHERE id >= $1 AND id <= $2 ORDER BY id LIMIT 1 OFFSET ${CHUNK}`;
        const next = (await query<{ id: string }>(page, [begin, last]))[0]?.id;
        const { length: gone } = await remove(query, [begin, next ?? last, Math.floor(before / 1_000)]);
        // Processes remember records that are gone now.
        if (gone > 0) await moveGeneration(query);
        return { gone, next };
      };
      const begin: string = from;
      const { gone, next } = await transaction((query) => step(query, begin));
      deleted += gone;
      from = next;
    }
  return deleted;
};
