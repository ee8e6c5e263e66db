/** The options of a tracker, as attributes of a script tag or in a call of `init`, and what is wrong with those of a page. */
import { oddIn, visible, written } from "../watch/visible.js";
import { closest } from "./closest.js";
import { bad, type Cause, type Evidence, judge, type Look, unknown } from "./evidence.js";
import { isExample, isTemplate, NAMES, RULES, UID } from "./rules.js";

type Options = Record<string, unknown>;

/** What other trackers call it, by the option that a page without it most likely means. */
const ALIASES: [RegExp, string][] = [
  [/^(token|key|apiKey|writeKey)$/, "apiToken"],
  [/^(url|host|endpoint)$/, "trackUrl"],
  [/^(contact|user|userId)$/, "contactUid"],
  [/^account$/, "accountUid"],
];

const attributeOf = (option: string): string =>
  `data-${option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** How options are written where they stand, and whether all that stands there is ours. */
interface Place {
  spell: (option: string) => string;
  assign: (option: string, value: unknown) => string;
  isOurs: boolean;
}

const IN_TAG: Place = {
  spell: attributeOf,
  assign: (option, value) => `${attributeOf(option)}="${visible(`${value}`)}"`,
  // Consent tools and those that make a page quicker have attributes of their own, such as `data-category`.
  isOurs: false,
};
const IN_CALL: Place = {
  spell: (option) => `${option}, given to init,`,
  assign: (option, value) => `${option}: ${written(value)}, given to init,`,
  isOurs: true,
};

/** What is wrong with the name of an option, beside others. */
const ofName = (name: string, others: Options, { spell, isOurs }: Place): Cause => {
  const [, alias = ""] = ALIASES.find(([names]) => names.test(name)) ?? [];
  // `dataApiToken`, set as an attribute, has lost its hyphens.
  const meant = closest(name.replace(/^data/i, ""), NAMES) || (alias in others ? "" : alias);
  const advice = meant ? `perhaps ${spell(meant)} is meant` : "check how it is written";
  return (meant || isOurs) && `${spell(name)} is no option: ${advice}.`;
};

const ofValue = (option: string, value: unknown, { assign }: Place): Cause => {
  const text = assign(option, value);
  const [isRight, advice] = RULES[option]!;
  // Whom these name is looked at where it is stored; an address that is missing is told elsewhere.
  const isFree = RULES[option] === UID || option === "params";
  const odd = typeof value === "string" && !isFree ? oddIn(value) : [];
  if (value === "" && /^(apiToken|trackUrl)$/.test(option)) return "";
  return (
    (odd.length &&
      `${text} holds a character that nobody sees, or a letter of another script (${odd.join(", ")}): type it anew.`) ||
    (isExample(value) && !isFree && `${text} is the documents' example: write your own.`) ||
    (isTemplate(value) && !isFree && `${text} is what a template leaves: nothing has put the value in its place.`) ||
    (!isRight(value) && `${text} is wrong: ${advice}.`)
  );
};

const mistakesIn = (options: Options, place: Place): Cause[] =>
  Object.entries(options)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => (NAMES.includes(name) ? ofValue(name, value, place) : ofName(name, options, place)));

const lacks = (options: Options): string[] => ["apiToken", "trackUrl"].filter((option) => !options[option]);

/** What is wrong with the options that `init` was given. */
const mistakesInInit = (options: unknown): Cause[] => {
  if (typeof options !== "object" || !options) return [`init was given no options, but ${written(options)}.`];
  const missing = lacks(options as Options);
  return [
    missing.length && `init was given no ${missing.join(" and no ")}.`,
    ...mistakesIn(options as Options, IN_CALL),
  ];
};

/** Mistakes that the tracker itself tells of. */
const TOLD: Record<string, string> = {
  "init again: apiToken":
    "A second script tag, or a second call of init, has another apiToken. The first one holds: leave one alone, or load the script again with a data-name of its own.",
  "init: formerToken":
    "Events of another token wait in this browser, and are left alone. If that token was corrected or replaced, name it as formerToken (data-former-token): they are delivered then. If it is another application's on this origin, give each a name of its own (data-name).",
};

/** The options in force, the token with its ends. */
const shown = (options: Options): string =>
  Object.entries(options)
    .filter(([name, value]) => NAMES.includes(name) && value !== undefined && !/^(granted|tracklet)$/.test(`${value}`))
    .map(([name, value]) => `${name} ${name === "apiToken" ? `«${visible(`${value}`)}»` : written(value)}`)
    .join(", ");

/** The tracker has none: what was meant for it. */
const ofNone = ({ page }: Evidence): Cause[] => [
  ...page.strays
    .filter(({ options }) => options.apiToken ?? options.trackUrl)
    .map(
      ({ markup }) =>
        `The options stand on another element, where nobody reads them: ${markup}. Write them on the tag of the script.`,
    ),
  ...page.inline.options.filter((name) => !NAMES.includes(name)).map((name) => ofName(name, {}, IN_CALL)),
];
const NONE =
  "The tracker has no options: no tag has data-api-token and data-track-url, and nothing has called init with apiToken and trackUrl, written so. Where a tag manager takes attributes away, call init.";

export const given = (evidence: Evidence): Look => {
  const { page, activity } = evidence;
  const tag: Options = page.tags[0]?.options ?? {};
  // Does the tag configure the tracker, be it wrongly? If not, a call of `init` does.
  const isByTag = tag.apiToken !== undefined || tag.trackUrl !== undefined;
  const inits = page.calls
    .filter((call): call is unknown[] => Array.isArray(call) && call[0] === "init")
    .map(([, options]) => options);
  if (page.global === "running" && !isByTag) inits.push(activity.options);
  const told = activity.problems.get("input") ?? new Set();
  const causes: Cause[] = [
    ...mistakesIn(tag, IN_TAG),
    ...inits.flatMap(mistakesInInit),
    ...(isByTag ? lacks(tag).map((option) => `The tag has no ${attributeOf(option)}.`) : []),
    ...Object.entries(TOLD).map(([detail, text]) => (told.has(detail) ? text : "")),
  ].filter(Boolean);
  const isComplete = page.global === "running" || (isByTag && lacks(tag).length === 0);
  if (isComplete || causes.some(Boolean))
    return judge(shown(evidence.options) || page.tags[0]?.markup || "none", causes);
  if (page.global !== "idle" || evidence.isEarly) return unknown("none yet");
  return bad(page.tags[0]?.markup ?? "none", ...ofNone(evidence), NONE);
};
