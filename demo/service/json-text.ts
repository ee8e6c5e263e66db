/** What `JSON.parse` loses (numbers beyond a double, the order of keys) is still in the text: this finds a member there. */
export interface Member {
  /** The member's value as it was written. */
  text: string;
  /** Levels of objects and arrays in it: 0 for a number or a string, 1 for `{}`. */
  depth: number;
}

/**
 * Finds a member of the object that `text` holds; of several with that name the last, as `JSON.parse` does.
 *
 * @param text valid JSON, an object
 */
export const findMember = (text: string, name: string): Member | undefined => {
  let found: Member | undefined;
  let at = text.indexOf("{") + 1;
  for (;;) {
    const keyFrom = text.indexOf('"', at);
    if (keyFrom < 0) return found;
    const keyTo = endOfString(text, keyFrom);
    const from = text.indexOf(":", keyTo) + 1;
    const { to, depth } = endOfValue(text, from);
    if (JSON.parse(text.slice(keyFrom, keyTo)) === name) found = { text: text.slice(from, to).trim(), depth };
    if (text[to] === "}") return found;
    at = to + 1;
  }
};

/** Index after the closing quote of the string that begins at `from`. */
const endOfString = (text: string, from: number): number => {
  for (let at = from + 1; ; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x5c) at += 1;
    else if (code === 0x22) return at + 1;
  }
};

/** Index of the comma or the brace after the value that begins at `from`, and the levels seen on the way. */
const endOfValue = (text: string, from: number): { to: number; depth: number } => {
  let level = 0;
  let depth = 0;
  for (let at = from; ; at += 1) {
    const character = text[at];
    if (character === '"') at = endOfString(text, at) - 1;
    else if (character === "{" || character === "[") {
      level += 1;
      depth = Math.max(depth, level);
    } else if (level === 0 && (character === "," || character === "}")) return { to: at, depth };
    else if (character === "}" || character === "]") level -= 1;
  }
};
