/** What the scripts that stand in the page say of a tracker. Whether they ran, nobody can tell from them. */
import { attempt } from "../../shared/attempt.js";
import { markupOf, short } from "./visible.js";

/** A call as it is written: its first argument, where it is a literal; and whether it stands in no function and no condition. */
export interface WrittenCall {
  verb: string;
  args: readonly unknown[];
  source: string;
  by: "push" | "method" | "function";
  isOuter: boolean;
}

export type Scripts = ReturnType<typeof readScripts>;

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

/** By a method, as in `tracklet.track(`, in an array, as in `["track",`, or as other tools are called, `tracklet("track",`. */
const callsIn = (text: string, global: string): WrittenCall[] => {
  const verb = "[\"'`](init|identify|track|pageview|reset|optIn|optOut)[\"'`]\\s*,?";
  const call = `(?<!function )${global}\\)?\\.(?!push)(\\w+)\\(|\\[\\s*${verb}|${global}\\(\\s*${verb}`;
  return [...text.matchAll(RegExp(call, "g"))].map(({ index, 0: { length }, 1: direct, 2: pushed, 3: called }) => ({
    verb: (direct ?? pushed ?? called)!,
    args: argumentsIn(text.slice(index + length)),
    source: short((pushed ? /^[^;\n\]]*\]?/ : /^[^;\n]*/).exec(text.slice(index))![0], 120),
    by: direct ? "method" : pushed ? "push" : "function",
    isOuter: isOuterAt(text, index),
  }));
};

/** In which of its lines a text does not parse, by a script that never runs, where the page's policy lets one be made. */
const lineOf = (text: string, nonce: string): string => {
  let line = "";
  const onError = (event: ErrorEvent): void => {
    event.preventDefault();
    event.stopImmediatePropagation();
    line = ` in line ${event.lineno}`;
  };
  const probe = document.createElement("script");
  addEventListener("error", onError, true);
  attempt(() => {
    probe.nonce = nonce;
    probe.text = `throw 0;void function(){${text}\n}`;
    document.documentElement.append(probe);
  });
  probe.remove();
  removeEventListener("error", onError, true);
  return line;
};

const parsed = new Map<string, string>();

/** Why a text is no script, in the browser's words; `""` where it is one, or the page's policy lets nobody try. */
const faultIn = (text: string, nonce = ""): string => {
  if (parsed.has(text)) return parsed.get(text)!;
  let fault = "";
  try {
    // It is made, and never called.
    new Function(text);
  } catch (error) {
    if (error instanceof SyntaxError) fault = `${error.message}${text.includes("\n") ? lineOf(text, nonce) : ""}`;
  }
  parsed.set(text, fault);
  return fault;
};

/** Attributes of events that name a tracker, each with its element. */
const handlersOf = (name: string): Attr[] => {
  const path = `//@*[starts-with(name(), "on") and contains(., "${name}")]`;
  const found = attempt(() => document.evaluate(path, document, null, XPathResult.ORDERED_NODE_SNAPSHOT_TYPE));
  return Array.from({ length: found?.snapshotLength ?? 0 }, (_, at) => found!.snapshotItem(at) as Attr);
};

/** @param name of the tracker */
export const readScripts = (name: string) => {
  const ours = [...document.scripts].filter(({ src, type, text }) => !src && runs(type) && text.includes(name));
  const handlers = handlersOf(name);
  const escaped = name.replace(/[^\w]/g, "\\$&");
  const global = `(?<![\\w$])${escaped}`;
  const own = RegExp(`(?:^|[;{}\\s])(const|let|class)\\s+${escaped}\\b(?!\\.)`);
  return {
    written: ours.flatMap(({ text }) => callsIn(text, global)),
    /** Does the page have a constant or a class of this name, which stands before the global? */
    shadows: ours.some(({ text }) => own.test(text)),
    hasHandlers: handlers.length > 0,
    /** Scripts and attributes that do not parse, and why. */
    broken: [
      // Of a module nobody can say by this.
      ...ours
        .filter(({ type }) => !/module/i.test(type))
        .map(({ text, nonce }): [string, string] => [short(text, 120), faultIn(text, nonce)]),
      ...handlers.map((one): [string, string] => [markupOf(one.ownerElement!), faultIn(one.value)]),
    ].filter(([, fault]) => fault),
  };
};
