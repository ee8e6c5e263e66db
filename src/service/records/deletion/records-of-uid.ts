import { recordId } from "../../base/exact-text.js";
import type { Database } from "../../database/database.js";
import { moveGeneration } from "../../database/generation.js";

/** Deletes the record of an account and its memberships; resolves to whether there was any. Its events stay. */
export const deleteAccount = ({ transaction }: Database, workspace: string, uid: string): Promise<boolean> =>
  transaction(async (query) => {
    const id = recordId("account", uid, workspace);
    const gone = await query("DELETE FROM accounts WHERE id = $1 RETURNING id", [id]);
    const members = await query("DELETE FROM account_contacts WHERE account_id = $1 RETURNING account_id", [id]);
    await moveGeneration(query);
    return gone.length + members.length > 0;
  });

/** Deletes users by their email; resolves to whether there was any. */
export const deleteUser = async ({ query }: Database, workspace: string, email: string): Promise<boolean> =>
  (await query("DELETE FROM users WHERE workspace = $1 AND email = $2 RETURNING id", [workspace, email])).length > 0;
