import { hash } from "node:crypto";
import { StringDecoder } from "node:string_decoder";
import { distance } from "fastest-levenshtein";

/**
 * PostgreSQL's text holds neither U+0000 nor a lone surrogate, JavaScript's strings do. Escaped as inside a JSON
 * string literal every string has exactly one stored form, and the usual ones (letters, digits, `-`) do not change.
 */
export const encodeText = (text: string): string => JSON.stringify(text).slice(1, -1);

/** The string that `encodeText` was given; what others have written in another form, as it is. */
export const decodeText = (stored: string): string => {
  if (!/["\\\p{Cc}]/u.test(stored)) return stored;
  const parsed = parseJson(`"${stored}"`);
  return typeof parsed === "string" ? parsed : stored;
};

/** JSON that others may have written into the database; `undefined` where it is none. */
export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

export const filledText = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

/** An object as JSON text, or `undefined` where it is something else. */
export const parseObject = (text: unknown): Record<string, unknown> | undefined => {
  const parsed = parseJson(String(text));
  return typeof parsed === "object" && parsed !== null && !Array.isArray(parsed)
    ? (parsed as Record<string, unknown>)
    : undefined;
};

/** The workspace of the tokens that a service has when no others are configured. */
export const DEFAULT_WORKSPACE = "default";

/** The first 16 bytes of a digest (hexadecimal), as a UUID. */
export const toUuid = (hex: string): string =>
  `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;

/** A digest of 16 bytes, as a UUID: stands for a text of any length in a key. */
export const digest = (text: string): string => toUuid(hash("sha256", encodeText(text), "hex"));

/** What makes something of a text, and remembers it: for so many texts of so many characters at most, and then anew. */
export const remembering = <T>(make: (text: string) => T, most: number, longest = 256): ((text: string) => T) => {
  const known = new Map<string, T>();
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found;
    const made = make(text);
    if (known.size >= most) known.clear();
    if (text.length <= longest) known.set(text, made);
    return made;
  };
};

/** The events of a contact come one after another. */
const idOf = remembering(digest, 10_000);

/**
 * Internal id of a record: derived from its uid, so that a look-up by uid is one by primary key. The names of
 * workspaces hold no slash and no colon, so no two of them share an id.
 */
export const recordId = (kind: "account" | "contact", uid: string, workspace = DEFAULT_WORKSPACE): string =>
  idOf(`${workspace}/${kind}:${uid}`);

export const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Can a text be an id of a record or an event? */
export const isUuid = (text: string): boolean => UUID.test(text);

const MAX_DISTANCE = 2;

/** Of names that are known, the one that was probably meant by another. */
export const nearName = (name: string, known: readonly string[]): string | undefined =>
  known.find((one) => one !== name && distance(name.toLowerCase(), one.toLowerCase()) <= MAX_DISTANCE);

/** The lines of a text as it comes, without their ends. What Node's own reader takes for an end besides, as U+2028, stands within them. */
export async function* readLines(chunks: AsyncIterable<Buffer | string>): AsyncGenerator<string> {
  const decoder = new StringDecoder("utf8");
  let rest = "";
  for await (const chunk of chunks) {
    const lines = (rest + decoder.write(chunk)).split("\n");
    rest = lines.pop()!;
    yield* lines;
  }
  if (rest !== "") yield rest;
}

/* What `JSON.parse` loses (numbers beyond a double, the order of keys) is still in the text, where a member is found below. */

interface Member {
  text: string;
  /** Levels of objects and arrays in it: 0 for a number or a string, 1 for `{}`. */
  depth: number;
}

const [QUOTE, COMMA, BACKSLASH] = [0x22, 0x2c, 0x5c];
const [OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE] = [0x5b, 0x5d, 0x7b, 0x7d];

/** A member where it stands: `at` is the index behind the brace or comma before it, `to` that of the brace or comma after it. */
interface Place {
  at: number;
  key: string;
  from: number;
  to: number;
  depth: number;
}

const nextMember = (text: string, before?: Place): Place | undefined => {
  if (before !== undefined && text[before.to] === "}") return undefined;
  const at = (before === undefined ? text.indexOf("{") : before.to) + 1;
  const keyFrom = text.indexOf('"', at);
  if (keyFrom < 0) return undefined;
  const keyTo = endOfString(text, keyFrom);
  const from = text.indexOf(":", keyTo) + 1;
  return { at, key: text.slice(keyFrom + 1, keyTo - 1), from, ...endOfValue(text, from) };
};

/**
 * Finds a member of the object that `text` holds; of several with that name the last, as `JSON.parse` does.
 *
 * @param text valid JSON, an object
 */
export const findMember = (text: string, name: string): Member | undefined => {
  let found: Member | undefined;
  for (let one = nextMember(text); one !== undefined; one = nextMember(text, one))
    if (isKey(one.key, name)) found = { text: text.slice(one.from, one.to).trim(), depth: one.depth };
  return found;
};

/** The text of an object without its members of that name. @param text valid JSON, an object */
export const withoutMember = (text: string, name: string): string => {
  const kept: string[] = [];
  for (let one = nextMember(text); one !== undefined; one = nextMember(text, one))
    if (!isKey(one.key, name)) kept.push(text.slice(one.at, one.to));
  return `{${kept.join(",")}}`;
};

/** The elements of the array that `text` holds, each as it was written. @param text valid JSON, an array */
export const elementsOf = (text: string): string[] => {
  const elements: string[] = [];
  for (let from = text.indexOf("[") + 1; ; ) {
    const { to } = endOfValue(text, from);
    const element = text.slice(from, to).trim();
    if (element !== "") elements.push(element);
    if (text[to] === "]") return elements;
    from = to + 1;
  }
};

/** Does a key stand for that name? It may be written with escapes. */
const isKey = (written: string, name: string): boolean =>
  written === name || (written.includes("\\") && JSON.parse(`"${written}"`) === name);

const endOfString = (text: string, from: number): number => {
  for (let end = text.indexOf('"', from + 1); ; end = text.indexOf('"', end + 1)) {
    let escapes = end - 1;
    while (text.charCodeAt(escapes) === BACKSLASH) escapes -= 1;
    // An even number of backslashes before it: none of them escapes the quote.
    if ((end - escapes) % 2 === 1) return end + 1;
  }
};

/** Index of the comma or the bracket after the value that begins at `from`, and the levels seen on the way. */
const endOfValue = (text: string, from: number): { to: number; depth: number } => {
  let level = 0;
  let depth = 0;
  for (let at = from; ; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at) - 1;
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      level += 1;
      if (level > depth) depth = level;
    } else if (level === 0 && (code === COMMA || code === CLOSE_BRACE || code === CLOSE_BRACKET))
      return { to: at, depth };
    else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) level -= 1;
  }
};
