/** The options of a tracker, as attributes of a script tag or in a call of `init`, and what is wrong with those of a page. */
import type { Attributes } from "../watch/trackers.js";
import { closest } from "./closest.js";
import { isExample, isTemplate } from "./placeholders.js";
import { NAMES, RULES, UID } from "./rules.js";

/** The options in force, as the tracker tells them; before it does, those of its tag. */
export const optionsOf = (
  { tag }: { tag: Attributes | undefined },
  { options }: { options: unknown },
): Record<string, unknown> => (options ?? tag ?? {}) as Record<string, unknown>;

/** What other trackers call it, by the option that a page without it most likely means. */
const ALIASES = new Map([
  ["token", "apiToken"],
  ["key", "apiToken"],
  ["apiKey", "apiToken"],
  ["writeKey", "apiToken"],
  ["url", "trackUrl"],
  ["host", "trackUrl"],
  ["endpoint", "trackUrl"],
  ["contact", "contactUid"],
  ["user", "contactUid"],
  ["userId", "contactUid"],
  ["account", "accountUid"],
]);

/** The option that is meant by a word that is none; `""` where no option is. */
const meantBy = (word: string, given: Record<string, unknown>): string => {
  const alias = ALIASES.get(word) ?? "";
  return closest(word, NAMES) || (alias in given ? "" : alias);
};

/** How to write these options. */
export const adviceOn = (options: string[]): string =>
  options.map((option) => `${option}: ${RULES[option]?.[1] || "give it"}.`).join(" ");

/** Whom these name is looked at where it is stored. */
const isUid = (option: string): boolean => RULES[option] === UID;

const attributeOf = (option: string): string =>
  `data-${option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** Does the tag configure the tracker, be it wrongly? If not, a call of `init` does. */
export const configures = (tag: Attributes | undefined): tag is Attributes =>
  tag?.apiToken !== undefined || tag?.trackUrl !== undefined;

/** How options are written where they stand, and whether all that stands there is ours. */
interface Place {
  spell: (option: string) => string;
  assign: (option: string, value: unknown) => string;
  isOurs: boolean;
}

/** What is wrong with the name of an option, beside others. */
const mistakesInName = (name: string, others: Record<string, unknown>, { spell, isOurs }: Place): string[] => {
  const meant = NAMES.includes(name) ? "" : meantBy(name, others);
  if (NAMES.includes(name) || !(meant || isOurs)) return [];
  return [`${spell(name)} is no option: ${meant ? `perhaps ${spell(meant)} is meant` : "check how it is written"}.`];
};

/** What is wrong with options, in words. */
const mistakesIn = (options: Record<string, unknown>, place: Place): string[] =>
  Object.entries(options).flatMap(([option, value]) => {
    if (value === undefined) return [];
    if (!NAMES.includes(option)) return mistakesInName(option, options, place);
    const { assign } = place;
    if (isExample(value) && !isUid(option))
      return `${assign(option, value)} is the documents' example: write your own.`;
    if (isTemplate(value) && !isUid(option))
      return `${assign(option, value)} is what a template leaves: nothing has put the value in its place.`;
    const [isRight, advice] = RULES[option]!;
    // An address that is missing is told elsewhere.
    if (value === "" && /^(apiToken|trackUrl)$/.test(option)) return [];
    return isRight(value) ? [] : `${assign(option, value)} is wrong: ${advice}.`;
  });

const IN_TAG: Place = {
  spell: attributeOf,
  assign: (option, value) => `${attributeOf(option)}="${value}"`,
  // Consent tools and those that make a page quicker have attributes of their own, such as `data-category`.
  isOurs: false,
};

/** Attributes that are misspelt options, and those with a wrong value. */
export const mistakesInTag = (tag: Attributes): string[] => mistakesIn(tag, IN_TAG);

const written = (value: unknown): string => {
  try {
    return JSON.stringify(value) ?? `${typeof value}`;
  } catch {
    return typeof value;
  }
};

const IN_CALL: Place = {
  spell: (option) => `${option}, given to init,`,
  assign: (option, value) => `${option}: ${written(value)}, given to init,`,
  isOurs: true,
};

/** The same of the options that `init` was given. */
export const mistakesInInit = (options: unknown): string[] => {
  if (typeof options !== "object" || options === null) return [`init was given no options, but ${written(options)}.`];
  const given = options as Record<string, unknown>;
  const lacks = ["apiToken", "trackUrl"].filter((option) => !given[option]);
  return [...(lacks.length > 0 ? [`init was given no ${lacks.join(" and no ")}.`] : []), ...mistakesIn(given, IN_CALL)];
};

/** The same where only the names of the options are known. */
export const mistakesInNames = (names: readonly string[]): string[] =>
  names.flatMap((name) => mistakesInName(name, {}, IN_CALL));
