import { readBody } from "../../base/body-names.js";
import type { Query } from "../../database/database.js";
import { exportRows } from "../export/export-page.js";
import type { Exported } from "../export/exported.js";

/** The letters of some people, and the ids of those that may be theirs, but may as well be of others: a person has to look. */
export interface Letters {
  theirs: Exported[];
  doubtful: string[];
}

/**
 * Finds the dead letters of people: those whose body says so, and those that say nobody and have a uid as one whole value. One
 * that is said to be of another, and names them so, or that cannot be read, and has the letters of a uid somewhere, is doubtful.
 */
export const findLetters = async (query: Query, workspace: string, uids: readonly string[]): Promise<Letters> => {
  const wanted = new Set(uids);
  const found: Letters = { theirs: [], doubtful: [] };
  for await (const letter of exportRows(query, { table: "dead_letters", workspace })) {
    const { contact, values, rest } = readBody(String(letter.body));
    const isNamed = values.some((value) => wanted.has(value));
    if (contact === undefined ? isNamed : wanted.has(contact)) found.theirs.push(letter);
    else if (isNamed || uids.some((uid) => rest.includes(uid))) found.doubtful.push(String(letter.id));
  }
  return found;
};

/** Deletes letters by their ids. */
export const deleteLetters = async (query: Query, ids: readonly unknown[]): Promise<void> => {
  await query("DELETE FROM dead_letters WHERE id IN (SELECT unnest($1::uuid[]))", [ids]);
};
