/** What the scripts that stand in the page say of a tracker. Whether they ran, nobody can tell from them. */
import { short } from "./visible.js";

/** A call as it is written. */
export interface WrittenCall {
  verb: string;
  /** Its first argument, where it is a literal; else {@link UNKNOWN}. */
  args: unknown[];
  source: string;
  /** Is it called by `push`? */
  isPushed: boolean;
  /** Does it stand by itself, and not within a function or a condition? */
  isOuter: boolean;
}

export type Inline = ReturnType<typeof readInline>;

/** What a script works out only when it runs. */
export const UNKNOWN = Symbol("unknown");

/** The types of scripts that browsers run (HTML §4.12.1, and MIME Sniffing §4.6). */
const RUNS = /^(module|(text|application)\/(x-)?(java|ecma)script(1\.\d)?|text\/(j|live)script)?$/i;

export const runs = (type: string): boolean => RUNS.test(type);

/** A text, or a word or number, up to the end of the argument; an object by its first member. */
const LITERAL =
  /^\s*(?:(?:(["'`])((?:(?!\1|\$\{)[^\\])*)\1|(undefined|null|true|false|-?\d+(?:\.\d+)?))\s*[,)\]]|(\{\s*(?:\w+\s*:|\})))/;

const argumentsIn = (text: string): unknown[] => {
  if (/^\s*[)\]]/.test(text)) return [];
  const [, quote, words, value, object] = LITERAL.exec(text) ?? [];
  if (quote) return [words];
  if (value) return [value === "undefined" ? undefined : JSON.parse(value)];
  return [object ? {} : UNKNOWN];
};

/** Does what begins there stand by itself? A script may stand in a block as a whole. */
const isOuterAt = (text: string, end: number): boolean => {
  const before = text.slice(0, end).replace(/"[^"\n]*"|'[^'\n]*'|`[^`]*`/g, "");
  const depth = before.split("{").length - before.split("}").length;
  const statement = /[^;{}\n]*$/.exec(before)![0];
  return depth <= (/^\s*\{/.test(text) ? 1 : 0) && !/=>|\?|&&|\b(if|else|for|function)\b/.test(statement);
};

/** By a method, as in `tracklet.track(`, or in an array, as in `["track",`. */
const callsIn = (text: string, global: string): WrittenCall[] => {
  const pushed = "\\[\\s*[\"'`](init|identify|track|pageview|reset|optIn|optOut)[\"'`]\\s*,?";
  return [...text.matchAll(RegExp(`(?<!function )${global}\\)?\\.(?!push)(\\w+)\\(|${pushed}`, "g"))].map(
    ({ index, 0: { length }, 1: direct, 2: verb = direct! }) => ({
      verb,
      args: argumentsIn(text.slice(index + length)),
      source: short((direct ? /^[^;\n]*/ : /^[^;\n\]]*\]?/).exec(text.slice(index))![0], 120),
      isPushed: !direct,
      isOuter: isOuterAt(text, index),
    }),
  );
};

/** @param name of the tracker */
export const readInline = (name: string) => {
  const ours = [...document.scripts]
    .map(({ src, type, text }) => (!src && runs(type) ? text : ""))
    .filter((text) => text.includes(name));
  const escaped = name.replace(/[^\w]/g, "\\$&");
  const global = `(?<![\\w$])${escaped}`;
  const own = RegExp(`(?:^|[;{}\\s])(const|let|class)\\s+${escaped}\\b(?!\\.)`);
  return {
    calls: ours.flatMap((text) => callsIn(text, global)),
    /** Does the page have a constant or a class of this name, which stands before the global? */
    shadows: ours.some((text) => own.test(text)),
  };
};
