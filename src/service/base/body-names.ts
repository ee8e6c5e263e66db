import { filledText, parseJson, parseObject } from "./exact-text.js";

/*
 * Whom a body names that was refused: it may be no JSON, or only the beginning of it.
 */

const CONTACT = "contact_uid";

/** Whom a refused body is said to be of, its texts, and what of it cannot be told apart. */
export const readBody = (body: string): { contact: string | undefined; values: string[]; rest: string } => {
  const parsed = parseObject(body);
  const told = parsed === undefined ? readForm(body) : textsOf(parsed);
  const values = told.map(([, text]) => text);
  const own = parsed === undefined ? told.find(([name]) => name === CONTACT)?.[1] : parsed.contact_uid;
  const contact = filledText(typeof own === "number" ? String(own) : own);
  return { contact, values, rest: parsed === undefined ? unescaped(body) : "" };
};

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

/** The uids of whom a body may be, as far as it tells. */
export const namesIn = (body: string): string[] => {
  const { contact, values } = readBody(body);
  return contact === undefined ? values : [contact];
};
