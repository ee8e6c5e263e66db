import { decodeText, filledText } from "../../base/exact-text.js";
import type { Query } from "../../database/database.js";
import { HttpError } from "../../http/errors.js";

export type Kind = "account" | "contact";

/** The name in the data of a record. */
export const nameIn = (data: { name?: unknown } | undefined): string | undefined => filledText(data?.name);

/** @throws HttpError 400 where a workspace has no account of this id: a filter by it would show nothing */
export const uidOfAccount = async (query: Query, workspace: string, id: string): Promise<string> => {
  const [row] = await query("SELECT unique_id FROM accounts WHERE id = $1 AND workspace = $2", [id, workspace]);
  if (row === undefined) throw new HttpError(400, "account must be the id of an account");
  return decodeText(String(row.unique_id));
};
