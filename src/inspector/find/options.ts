/** The options of a tracker, as attributes of a script tag or in a call of `init`, and what is wrong with those of a page. */
import { oddIn, visible, written } from "../watch/visible.js";
import { bad, type Cause, type Evidence, judge, type Look, unknown } from "./evidence.js";
import { adviceOn, isExample, isTemplate, NAMES } from "./rules.js";
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

const attributeOf = (option: string): string =>
  `data-${option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** An option as it is written in a tag, or given to `init`. */
const spell = (option: string, isTag: boolean): string => (isTag ? attributeOf(option) : `${option}, given to init,`);

/** What is wrong with the name of an option, beside others. */
const ofName = (name: string, others: Options, isTag: boolean): Cause => {
  // What other trackers call it.
  const alias = /^(contact|user)(Id)?$/.test(name) ? "contactUid" : /^account(Id)?$/.test(name) ? "accountUid" : "";
  // `dataApiToken`, set as an attribute, has lost its hyphens.
  const meant = closest(name.replace(/^data/i, ""), NAMES) || (alias in others ? "" : alias);
  const advice = meant ? `perhaps ${spell(meant, isTag)} is meant` : "check how it is written";
  // In a tag, consent tools and those that make a page quicker have attributes of their own, such as `data-category`.
  return (meant || !isTag) && `${spell(name, isTag)} is no option: ${advice}.`;
};

const ofValue = (option: string, value: unknown, isTag: boolean): Cause => {
  const given = `${option}: ${written(value)}, given to init,`;
  const text = isTag ? `${attributeOf(option)}="${visible(`${value}`)}"` : given;
  const advice = adviceOn(option, value);
  // Whom these name is looked at where it is stored; an address that is missing is told elsewhere.
  const isFree = /Uid$|^params$/.test(option);
  const odd = typeof value === "string" && !isFree ? oddIn(value) : [];
  if (value === "" && /^(apiToken|trackUrl)$/.test(option)) return "";
  return (
    (odd.length &&
      `${text} holds a character that nobody sees, or a letter of another script (${odd.join(", ")}): type it anew.`) ||
    (isExample(value) && !isFree && `${text} is the documents' example: write your own.`) ||
    (isTemplate(value) && !isFree && `${text} is what a template leaves: nothing has put the value in its place.`) ||
    (advice && `${text} is wrong: ${advice}.`)
  );
};

const mistakesIn = (options: Options, isTag: boolean): Cause[] =>
  Object.entries(options)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => (NAMES.includes(name) ? ofValue(name, value, isTag) : ofName(name, options, isTag)));

/** Those that no tracker can do without. */
const missingIn = (options: Options): string[] => ["apiToken", "trackUrl"].filter((option) => !options[option]);

/** The options in force, the token with its ends. */
const shown = (options: Options): string =>
  Object.entries(options)
    .filter(([name, value]) => NAMES.includes(name) && value !== undefined && !/^(granted|tracklet)$/.test(`${value}`))
    .map(([name, value]) => `${name} ${name === "apiToken" ? `«${visible(`${value}`)}»` : written(value)}`)
    .join(", ");

/** Options on another element, while the tracker lacks them. */
const ofStrays = ({ page, contact, isEarly }: Evidence): Cause[] =>
  page.strays.map(
    ({ markup, options }) =>
      !isEarly &&
      // Several are a list of the page's own.
      page.strays.length === 1 &&
      (page.global === "idle" || (!contact && options.contactUid !== undefined)) &&
      `Options stand on another element, where nobody reads them: ${markup}. Write them on the tag of the script.`,
  );

const NONE =
  "The tracker has no options: no tag has data-api-token and data-track-url, and nothing has called init with apiToken and trackUrl, written so. Where a tag manager takes attributes away, call init.";

export const given = (evidence: Evidence): Look => {
  const { page, activity, options } = evidence;
  const { markup = "none", options: tag = {} as Options } = page.tags[0] ?? {};
  // Does the tag configure the tracker, be it wrongly? If not, a call of `init` does.
  const isByTag = tag.apiToken !== undefined || tag.trackUrl !== undefined;
  const init = isByTag ? undefined : (activity.options as Options | undefined);
  const causes = [
    ...mistakesIn(tag, true),
    ...(isByTag ? missingIn(tag).map((option) => `The tag has no ${attributeOf(option)}.`) : []),
    ...(init ? [...mistakesIn(init, false), ...missingIn(init).map((option) => `init was given no ${option}.`)] : []),
    ...toldAt("Options", activity),
    ...ofStrays(evidence),
  ];
  if (isByTag || init || causes.some(Boolean)) return judge(shown(options) || markup, causes);
  if (page.global !== "idle" || evidence.isEarly) return unknown("none yet");
  const written = page.inline.calls.find(({ verb }) => verb === "init");
  return bad(markup, written ? `A script of this page has ${written.source}. ${NONE}` : NONE);
};
