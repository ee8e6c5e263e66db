import { NIL } from "uuid";
import { encodeText, recordId } from "../../base/exact-text.js";
import type { Database, Query } from "../../database/database.js";
import { moveGeneration } from "../../database/generation.js";
import { afterAllHaveEnded } from "./fence.js";
import { CHUNK } from "./steps.js";

/** Deletes the record of an account and its memberships; resolves to whether there was any. Its events stay, and stay its own. */
export const deleteAccount = async (
  { transaction, query }: Database,
  workspace: string,
  uid: string,
): Promise<boolean> => {
  const id = recordId("account", uid, workspace);
  const own = { workspace, uid: encodeText(uid) };
  const membersBy = async (ask: Query, statement: string) => (await ask(statement, [id])).map((row) => row.contact_id);
  await unlist(query, own, await membersBy(query, "SELECT contact_id FROM account_contacts WHERE account_id = $1"));
  const deleted = await transaction(async (query) => {
    const gone = await query("DELETE FROM accounts WHERE id = $1 RETURNING id", [id]);
    const members = await membersBy(query, "DELETE FROM account_contacts WHERE account_id = $1 RETURNING contact_id");
    await moveGeneration(query);
    return { members, isGone: gone.length + members.length > 0 };
  });
  // What was being stored believed in the memberships.
  await afterAllHaveEnded(query);
  await unlist(query, own, deleted.members);
  return deleted.isGone;
};

/** Marks the events of an account whose contacts are no members of it any more: they are found by that, see `ofAccount`. */
const unlist = async (query: Query, { workspace, uid }: { workspace: string; uid: string }, members: unknown[]) => {
  for (const member of members)
    for (let [after, isLast]: [string, boolean] = [NIL, false]; !isLast; ) {
      const marked = await query<{ id: string }>(
        `UPDATE events SET unlisted = true WHERE contact_id = $1 AND id IN (
           SELECT id FROM events
           WHERE contact_id = $1 AND workspace = $2 AND account_uid = $3 AND unlisted IS NULL AND id > $4 ORDER BY id LIMIT ${CHUNK})
         RETURNING id`,
        [member, workspace, uid, after],
      );
      // Behind it, for what the step before has marked would be read again.
      after =
        marked
          .map(({ id }) => id)
          .sort()
          .at(-1) ?? after;
      isLast = marked.length < CHUNK;
    }
};

/** Deletes users by their email; resolves to whether there was any. */
export const deleteUser = async ({ query }: Database, workspace: string, email: string): Promise<boolean> =>
  (await query("DELETE FROM users WHERE workspace = $1 AND email = $2 RETURNING id", [workspace, email])).length > 0;
