/** The options of a tracker, as attributes of a script tag or in a call of `init`, and what is wrong with those of a page. */
import type { Attributes } from "../watch/trackers.js";
import { closest } from "./closest.js";

/** What a value must be, and what is said where it is not. */
type Rule = [isRight: (value: unknown) => boolean, advice: string];

/** The options in force, as the tracker tells them; before it does, those of its tag. */
export const optionsOf = (
  { tag }: { tag: Attributes | undefined },
  { options }: { options: unknown },
): Record<string, unknown> => (options ?? tag ?? {}) as Record<string, unknown>;

const oneOf = (words: RegExp, advice: string): Rule => [(value) => words.test(`${value}`), advice];

/** A path of the page, or an address with `http:` or `https:`: without it even `track.example.com` is a path. */
const isAddress = (value: unknown): boolean => {
  try {
    const text = `${value}`;
    const { protocol } = new URL(text, "https://page.example");
    return /^https?:$/.test(protocol) && /^([a-z]+:\/\/|\/|\.)/i.test(text);
  } catch {
    return false;
  }
};

const ANYTHING: Rule = [() => true, ""];
const UID: Rule = [(value) => typeof value === "string" || Number.isSafeInteger(value), "give a text"];
const SWITCH = oneOf(/^(|true|false)$/, "write true, or leave it out (it is off)");
const BOUND: Rule = [(value) => Number(value) > 0, "write a number above 0 (the default holds)"];
const FUNCTION: Rule = [(value) => typeof value === "function", "give a function, in a call of init"];

const RULES: Record<string, Rule> = {
  apiToken: ANYTHING,
  trackUrl: [
    isAddress,
    "write an address with https:// in front, such as https://track.example.com, or a path that begins with /",
  ],
  eventPath: ANYTHING,
  contentType: oneOf(/^(application\/json|text\/plain)$/, "write application/json or text/plain"),
  name: ANYTHING,
  contactUid: UID,
  accountUid: UID,
  params: ANYTHING,
  pageviews: oneOf(/^(auto|hash|off)$/, "write auto, hash or off (it is taken for auto)"),
  consent: oneOf(/^(granted|pending|denied)$/, "write granted, pending or denied (it is taken for pending)"),
  respectGpc: SWITCH,
  maxEvents: BOUND,
  maxBytes: BOUND,
  maxAgeMs: BOUND,
  stamp: SWITCH,
  mute: SWITCH,
  debug: SWITCH,
  visitUrl: FUNCTION,
  beforeSend: FUNCTION,
  onError: FUNCTION,
};
const NAMES = Object.keys(RULES);

const attributeOf = (option: string): string =>
  `data-${option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** Does the tag configure the tracker, be it wrongly? If not, a call of `init` does. */
export const configures = (tag: Attributes | undefined): tag is Attributes =>
  tag?.apiToken !== undefined || tag?.trackUrl !== undefined;

/** What is wrong with options, in words, given how each is written where it stands. */
const mistakesIn = (
  options: Record<string, unknown>,
  spell: (option: string) => string,
  assign: (option: string, value: unknown) => string,
): string[] =>
  Object.entries(options).flatMap(([option, value]) => {
    if (value === undefined) return [];
    if (!NAMES.includes(option)) {
      const meant = closest(option, NAMES);
      return `${spell(option)} is no option: ${meant ? `perhaps ${spell(meant)} is meant` : "check how it is written"}.`;
    }
    if (/^YOUR_/.test(`${value}`)) return `${assign(option, value)} is the documents' example: write your own.`;
    const [isRight, advice] = RULES[option]!;
    // An address that is missing is told elsewhere.
    if (value === "" && /^(apiToken|trackUrl)$/.test(option)) return [];
    return isRight(value) ? [] : `${assign(option, value)} is wrong: ${advice}.`;
  });

/** Attributes that are no options, most often misspelt, and those with a wrong value. */
export const mistakesInTag = (tag: Attributes): string[] =>
  mistakesIn(tag, attributeOf, (option, value) => `${attributeOf(option)}="${value}"`);

const written = (value: unknown): string => {
  try {
    return JSON.stringify(value) ?? `${typeof value}`;
  } catch {
    return typeof value;
  }
};

/** The same of the options that `init` was given. */
export const mistakesInInit = (options: unknown): string[] => {
  if (typeof options !== "object" || options === null) return [`init was given no options, but ${written(options)}.`];
  const given = options as Record<string, unknown>;
  const lacks = ["apiToken", "trackUrl"].filter((option) => !given[option]);
  return [
    ...(lacks.length > 0 ? [`init was given no ${lacks.join(" and no ")}.`] : []),
    ...mistakesIn(
      given,
      (option) => `${option}, given to init,`,
      (option, value) => `${option}: ${written(value)}, given to init,`,
    ),
  ];
};
