/** What `JSON.parse` loses (numbers beyond a double, the order of keys) is still in the text: this finds a member there. */
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
