/** The options of a tracker, as attributes of a script tag or in a call of `init`, and what is wrong with those of a page. */
import { oddIn, visible, written } from "../watch/visible.js";
import { bad, type Cause, type Evidence, judge, type Look, unknown } from "./evidence.js";
import { isExample, isTemplate, NAMES, RULES, UID } from "./rules.js";
import { toldAt } from "./told.js";

type Options = Record<string, unknown>;

/** How many letters must be added, taken away or changed to make one word of the other (Levenshtein). */
const distance = (one: string, other: string): number => {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i++) {
    const next = [i];
    for (let j = 1; j <= other.length; j++)
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (one[i - 1] === other[j - 1] ? 0 : 1)));
    row = next;
  }
  return row[other.length]!;
};

const plain = (word: string): string => word.replace(/[^a-z]/gi, "").toLowerCase();

/** The known word that differs in capitals and signs alone, or by two letters at most; `""` where there is none. */
const closest = (word: string, known: readonly string[]): string => {
  // Nobody mistypes a word so long; without a bound its length would cost time.
  if (word.length > 40) return "";
  const ranked = known
    .map((each): [number, string] => [distance(plain(word), plain(each)), each])
    .sort(([one], [other]) => one - other);
  const [letters, found] = ranked[0]!;
  return letters <= 2 && letters < plain(found).length / 2 ? found : "";
};

/** What other trackers call it. */
const ALIASES = new Map(
  Object.entries({ contact: "contactUid", user: "contactUid", userId: "contactUid", account: "accountUid" }),
);

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
  const alias = ALIASES.get(name) ?? "";
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

/** The options in force, the token with its ends. */
const shown = (options: Options): string =>
  Object.entries(options)
    .filter(([name, value]) => NAMES.includes(name) && value !== undefined && !/^(granted|tracklet)$/.test(`${value}`))
    .map(([name, value]) => `${name} ${name === "apiToken" ? `«${visible(`${value}`)}»` : written(value)}`)
    .join(", ");

/** The tracker has none: what was meant for it. */
const ofNone = ({ page: { strays, inline } }: Evidence): Cause[] => [
  ...strays.map(
    ({ markup, options }) =>
      (options.apiToken ?? options.trackUrl) !== undefined &&
      `The options stand on another element, where nobody reads them: ${markup}. Write them on the tag of the script.`,
  ),
  ...inline.calls.map(
    ({ verb, source }) =>
      verb === "init" && `A script of this page has ${source}. That gives no apiToken and no trackUrl, written so.`,
  ),
  "The tracker has no options: no tag has data-api-token and data-track-url, and nothing has called init with apiToken and trackUrl, written so. Where a tag manager takes attributes away, call init.",
];

export const given = (evidence: Evidence): Look => {
  const { page, activity, options } = evidence;
  const { markup = "none", options: tag = {} as Options } = page.tags[0] ?? {};
  // Does the tag configure the tracker, be it wrongly? If not, a call of `init` does.
  const isByTag = tag.apiToken !== undefined || tag.trackUrl !== undefined;
  const inits = page.calls.flatMap((call) => (Array.isArray(call) && call[0] === "init" ? [call[1]] : []));
  if (page.global === "running" && !isByTag) inits.push(activity.options);
  const causes = [
    ...mistakesIn(tag, IN_TAG),
    ...inits.flatMap(mistakesInInit),
    ...(isByTag ? lacks(tag).map((option) => `The tag has no ${attributeOf(option)}.`) : []),
    ...toldAt("Options", activity),
  ];
  const isComplete = page.global === "running" || (isByTag && lacks(tag).length === 0);
  if (isComplete || causes.some(Boolean)) return judge(shown(options) || markup, causes);
  if (page.global !== "idle" || evidence.isEarly) return unknown("none yet");
  return bad(markup, ...ofNone(evidence));
};
