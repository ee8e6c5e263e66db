/** Makes visible what nobody sees: characters without a look, and letters of other scripts that look like those of ASCII. */
import { attempt } from "../../shared/attempt.js";

const mark = (character: string): string =>
  `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`;

/** Format and control characters, and every blank but the usual one. */
const UNSEEN = /[\p{Cf}\p{Cc}\p{Zl}\p{Zp}\u115f\u3164]|(?! )\p{Zs}/gu;
/** Within a word of ASCII, they pass for its letters. */
const ALIKE = /[\p{Script=Cyrillic}\p{Script=Greek}\uff01-\uff5e]/gu;

/** Their code points, such as `U+200B`, each where it stands; line breaks and tabs stay as they are. */
export const visible = (text: string): string =>
  text
    .replace(UNSEEN, (character) => (/[\n\r\t]/.test(character) ? character : `⟨${mark(character)}⟩`))
    .replace(/\S+/g, (word) =>
      /[a-z]/i.test(word) ? word.replace(ALIKE, (letter) => `${letter}⟨${mark(letter)}⟩`) : word,
    );

/** The code points of a text that {@link visible} marks. */
export const oddIn = (text: string): string[] => [...visible(text).matchAll(/⟨(U\+\w+)⟩/g)].map(([, code]) => code!);

/** In one line, cut off where it is long. */
export const short = (text: string, most = 240): string => {
  const line = visible(text).replace(/\s+/g, " ").trim();
  return line.length > most ? `${line.slice(0, most)}…` : line;
};

export const markupOf = ({ localName, attributes }: Element): string => {
  const written = [...attributes].map(({ name, value }) => (value ? ` ${name}="${value}"` : ` ${name}`));
  return short(`<${localName}${written.join("")}>`);
};

/** What of an answer is words: of a web page its title or heading, of JSON all. */
export const wordsOf = (text: string): string => short(/<(?:title|h1)[^>]*>([^<]+)</i.exec(text)?.[1] ?? text);

/** A value as it is written in a script, with what it is where that does not tell. */
export const written = (value: unknown): string => {
  if (typeof value === "string") return JSON.stringify(visible(value));
  if (typeof value === "function") return "a function";
  if (value === null || typeof value !== "object")
    return `${String(value)}${typeof value === "number" ? " (a number)" : ""}`;
  const what = Array.isArray(value) ? "an array" : "an object";
  return attempt(() => `${what}, ${short(JSON.stringify(value), 120)}`) ?? `${what} that no JSON can hold`;
};

/** A call that `push` was given, as the tracker takes it: whatever can be iterated. What is none is shown as it is. */
export const callOf = (call: unknown): readonly unknown[] =>
  attempt(() => (typeof call === "string" ? undefined : [...(call as unknown[])])) ?? ["push", call];

/** More of a kind than a panel can show. */
export const KEPT = 20;

/** Puts something in front of a list, and forgets what is the oldest beyond what can be shown. */
export const keep = <Item>(list: Item[], item: Item): Item => {
  list.unshift(item);
  list.splice(KEPT);
  return item;
};
