/** What the scripts that stand in the page say of a tracker. Whether they ran, nobody can tell from them. */

/** A call as it is written. */
export interface WrittenCall {
  verb: string;
  /** The values that are literals; {@link UNKNOWN} in place of the others. */
  args: unknown[];
  /** Is it called by `push`? */
  isPushed: boolean;
  /** Does it stand by itself, and not within a function or a condition? */
  isOuter: boolean;
}

export interface Inline {
  calls: WrittenCall[];
  /** Is the global named at all? */
  isNamed: boolean;
  /** Is an array put in the tracker's place, also where there is a tracker? */
  replaces: boolean;
  /** Does the page have a constant or a class of this name, which stands before the global? */
  shadows: boolean;
  /** Does a script put the tag in by markup (`innerHTML`)? */
  usesMarkup: boolean;
  /** Does one empty the storage? */
  empties: boolean;
  /** Names of the options in a call of `init`. */
  options: string[];
}

/** What a script works out only when it runs. */
export const UNKNOWN = Symbol("unknown");

/** The types of scripts that browsers run (HTML §4.12.1, and MIME Sniffing §4.6). */
const RUNS = /^(module|(text|application)\/(x-)?(java|ecma)script(1\.\d)?|text\/(j|live)script)?$/i;

export const runs = (type: string): boolean => RUNS.test(type);

const literalOf = (source: string): unknown => {
  if (source === "undefined") return undefined;
  if (/^(null|true|false)$/.test(source)) return JSON.parse(source);
  if (/^-?[\d.]+$/.test(source)) return Number(source);
  const [, , text] = /^(["'`])((?:(?!\1|\$\{)[^\\])*)\1$/.exec(source) ?? [];
  if (text !== undefined) return text;
  // An object by its first member is enough to say what it is.
  return /^\{\s*(\w+\s*:|\})/.test(source) ? {} : UNKNOWN;
};

/** The arguments from this place on, up to the bracket that ends them. */
const argumentsAt = (text: string, start: number): string[] => {
  const found: string[] = [];
  let depth = 0;
  let from = start;
  for (let at = start; at < text.length; at++) {
    const letter = text[at]!;
    if (/["'`]/.test(letter)) at = Math.max(at, text.indexOf(letter, at + 1));
    else if (/[([{]/.test(letter)) depth++;
    else if (depth > 0 && /[)\]}]/.test(letter)) depth--;
    else if (depth === 0 && /[,)\]]/.test(letter)) {
      found.push(text.slice(from, at).trim());
      from = at + 1;
      if (letter !== ",") break;
    }
  }
  return found.filter(Boolean);
};

const depthAt = (text: string, end: number): number =>
  [...text.slice(0, end).replace(/"[^"\n]*"|'[^'\n]*'|`[^`]*`/g, "")].reduce(
    (depth, letter) => depth + (letter === "{" ? 1 : letter === "}" ? -1 : 0),
    0,
  );

const callsIn = (text: string, global: string): WrittenCall[] =>
  [...text.matchAll(RegExp(`(?<!function )${global}\\)?\\.(\\w+)\\(`, "g"))].flatMap(
    ({ index, 0: { length }, 1: verb }) => {
      const args = argumentsAt(text, index + length);
      const isOuter = depthAt(text, index) <= (/^\s*\{/.test(text) ? 1 : 0);
      if (verb !== "push") return { verb: verb!, args: args.map(literalOf), isPushed: false, isOuter };
      return args.map((call): WrittenCall => {
        if (!call.startsWith("[")) return { verb: "push", args: [literalOf(call)], isPushed: true, isOuter };
        const [first = "", ...rest] = argumentsAt(call, 1);
        const name = literalOf(first);
        return { verb: typeof name === "string" ? name : "", args: rest.map(literalOf), isPushed: true, isOuter };
      });
    },
  );

/** The members of the object that follows `init(` or `["init",`, up to one within it. */
const optionsIn = (text: string): string[] => {
  const [, members = ""] = /\binit["'`]?\s*[,(]\s*\{([^{}]*)/.exec(text) ?? [];
  const names = members.replace(/(:\s*)("[^"]*"|'[^']*'|`[^`]*`)/g, "$1");
  return [...names.matchAll(/["']?([A-Za-z_$][\w$]*)["']?\s*:/g)].map(([, name]) => name!);
};

/** @param name of the tracker */
export const readInline = (name: string): Inline => {
  const texts = [...document.scripts]
    .map(({ src, type, text }) => (!src && runs(type) ? text : ""))
    .filter((text) => text);
  const ours = texts.filter((text) => text.includes(name));
  const escaped = name.replace(/[^\w]/g, "\\$&");
  const global = `(?<![\\w$])${escaped}`;
  const has = (pattern: string): boolean => ours.some((text) => RegExp(pattern).test(text));
  return {
    // The parenthesis of `(window.tracklet = window.tracklet || []).push(…)`, too.
    calls: ours.flatMap((text) =>
      callsIn(
        text.replace(RegExp(`\\(?(window\\.)?${escaped}\\s*(\\|\\||\\?\\?)?=[^()]*\\[\\]\\s*\\)`, "g"), name),
        global,
      ),
    ),
    isNamed: has(`${global}(\\)?\\.\\w+\\(|\\s*=)`),
    replaces: ours.some(
      (text) => RegExp(`${global}\\s*=\\s*\\[`).test(text) && !RegExp(`${global}\\s*(\\|\\||\\?\\?)`).test(text),
    ),
    shadows: has(`(?:^|[;{}\\s])(const|let|class)\\s+${escaped}\\b(?!\\.)`),
    usesMarkup: has("inner\\w*HTML|insertAdjacent\\w*HTML|outer\\w*HTML"),
    empties: texts.some((text) => /localStorage\.clear\(/.test(text)),
    options: ours.flatMap(optionsIn),
  };
};
