import { decodeText, filledText, parseObject, recordId } from "../../base/exact-text.js";
import type { Query } from "../../database/database.js";
import { HttpError } from "../../http/errors.js";

export type Kind = "account" | "contact";

/** An account or a contact as lists have it. */
export interface Named {
  id: string;
  unique_id: string;
  /** `name` of its data, or its uid where there is none. */
  name: string;
}

/** The name in the data of a record. */
export const nameIn = (data: { name?: unknown } | undefined): string | undefined => filledText(data?.name);

export const numberOf = (value: unknown): number | null =>
  value === null || value === undefined ? null : Number(value);

const toNamed = ({ id, unique_id, data }: Record<string, unknown>): Named => {
  const uid = decodeText(String(unique_id));
  return { id: String(id), unique_id: uid, name: nameIn(parseObject(data)) ?? uid };
};

/** Accounts or contacts by their ids; those without a record are absent. */
export const namesOf = async (query: Query, kind: Kind, ids: readonly string[]): Promise<Map<string, Named>> => {
  if (ids.length === 0) return new Map();
  const found = await query(`SELECT id, unique_id, data FROM ${kind}s WHERE id = ANY($1::uuid[])`, [ids]);
  return new Map(found.map(toNamed).map((one) => [one.id, one]));
};

/** @throws HttpError 400 where a workspace has no account of this id: a filter by it would show nothing */
export const uidOfAccount = async (query: Query, workspace: string, id: string): Promise<string> => {
  const [row] = await query("SELECT unique_id FROM accounts WHERE id = $1 AND workspace = $2", [id, workspace]);
  if (row === undefined) throw new HttpError(400, "account must be the id of an account");
  return decodeText(String(row.unique_id));
};

/** How many events a key has, and had in the time before. */
interface Keyed {
  key: string;
  events: number;
  before: number;
}
interface Keys {
  total: number;
  before: number;
  data: Keyed[];
}

/** Gives accounts, which are told by their uids, an id and a name. */
export const nameAccounts = async (query: Query, workspace: string, keys: Keys) => {
  const ids = keys.data.map(({ key }) => recordId("account", key, workspace));
  const names = await namesOf(query, "account", ids);
  const data = keys.data.map((one, at) => ({ ...one, id: ids[at]!, name: names.get(ids[at]!)?.name ?? one.key }));
  return { ...keys, data };
};

/** Gives contacts, which are told by their ids, a uid and a name. */
export const nameContacts = async (query: Query, keys: Keys) => {
  const ids = keys.data.map(({ key }) => key);
  const names = await namesOf(query, "contact", ids);
  const data = keys.data.map(({ key: id, ...one }) => ({
    ...one,
    ...{ id, key: names.get(id)?.unique_id ?? id, name: names.get(id)?.name ?? id },
  }));
  return { ...keys, data };
};
