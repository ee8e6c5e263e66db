import { encodeText, recordId } from "../../base/exact-text.js";
import type { Database, Query } from "../../database/database.js";
import { moveGeneration } from "../../database/generation.js";
import { afterAllHaveEnded } from "./fence.js";

/** Deletes the record of an account and its memberships; resolves to whether there was any. Its events stay, and stay its own. */
export const deleteAccount = async (
  { transaction, query }: Database,
  workspace: string,
  uid: string,
): Promise<boolean> => {
  const id = recordId("account", uid, workspace);
  const found = await transaction(async (query) => {
    const gone = await query("DELETE FROM accounts WHERE id = $1 RETURNING id", [id]);
    const deleted = await query("DELETE FROM account_contacts WHERE account_id = $1 RETURNING contact_id", [id]);
    const members = deleted.map(({ contact_id }) => contact_id);
    await unlist(query, [workspace, encodeText(uid), members]);
    await moveGeneration(query);
    return { isGone: gone.length + members.length > 0, members };
  });
  // What was being stored believed in the memberships.
  await afterAllHaveEnded(query);
  await unlist(query, [workspace, encodeText(uid), found.members]);
  return found.isGone;
};

/** Marks the events of an account whose contacts are no members of it any more: they are found by that, see `ofAccount`. */
const unlist = (query: Query, values: [workspace: string, uid: string, members: unknown[]]) =>
  query(
    `UPDATE events SET unlisted = true
     WHERE workspace = $1 AND account_uid = $2 AND contact_id = ANY ($3::uuid[]) AND unlisted IS NULL`,
    values,
  );

/** Deletes users by their email; resolves to whether there was any. */
export const deleteUser = async ({ query }: Database, workspace: string, email: string): Promise<boolean> =>
  (await query("DELETE FROM users WHERE workspace = $1 AND email = $2 RETURNING id", [workspace, email])).length > 0;
