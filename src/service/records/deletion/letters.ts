import { filledText, parseJson, parseObject } from "../../base/exact-text.js";
import type { Query } from "../../database/database.js";
import { type Exported, exportRows } from "../export-page.js";

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
    const { contact, values, rest } = read(String(letter.body));
    const isNamed = values.some((value) => wanted.has(value));
    if (contact === undefined ? isNamed : wanted.has(contact)) found.theirs.push(letter);
    else if (isNamed || uids.some((uid) => rest.includes(uid))) found.doubtful.push(String(letter.id));
  }
  return found;
};

/** Whom a refused body is said to be of, its texts, and what of it cannot be told apart. */
const read = (body: string): { contact: string | undefined; values: string[]; rest: string } => {
  const parsed = parseObject(body);
  const told = parsed === undefined ? readForm(body) : textsOf(parsed);
  const values = told.map(([, text]) => text);
  const own = parsed === undefined ? told.find(([name]) => name === CONTACT)?.[1] : parsed.contact_uid;
  const contact = filledText(typeof own === "number" ? String(own) : own);
  return { contact, values, rest: parsed === undefined ? unescaped(body) : "" };
};

const CONTACT = "contact_uid";

/** All texts in a value, each with the name of its member. */
const textsOf = (value: unknown, name = ""): [string, string][] =>
  typeof value === "string"
    ? [[name, value]]
    : Object.entries(Object(value)).flatMap(([name, member]) => textsOf(member, name));

/** A text of JSON, and what follows it where it is the name of a member. */
const TEXT = /"((?:[^"\\]|\\.)*)"\s*(:?)/gs;

/** The same of what is no JSON, or only the beginning of it, and of a form. */
const readForm = (body: string): [string, string][] => {
  if (!body.includes('"')) return [...new URLSearchParams(body)];
  let name = "";
  return [...body.matchAll(TEXT)].flatMap(([, text, colon]): [string, string][] => {
    const read = unescaped(text!);
    if (colon === ":") name = read;
    return colon === ":" ? [] : [[name, read]];
  });
};

/** Without the escapes of JSON. */
const unescaped = (text: string): string =>
  text.replace(/\\(u[0-9a-f]{4}|.)/gis, (escaped) => String(parseJson(`"${escaped}"`) ?? escaped));

/** Deletes letters by their ids. */
export const deleteLetters = async (query: Query, ids: readonly unknown[]): Promise<void> => {
  await query("DELETE FROM dead_letters WHERE id IN (SELECT unnest($1::uuid[]))", [ids]);
};
