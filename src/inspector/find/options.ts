/** The options of a tracker, as attributes of a script tag or in a call of `init`, what their values must be, and what is wrong with those of a page. */
import { attempt } from "../../shared/attempt.js";
import { oddIn, short, visible, written } from "../watch/visible.js";
import { toldAt } from "./calls.js";
import { bad, type Cause, type Evidence, judge, type Look, unknown } from "./evidence.js";

/** What a value must be, written as text, and what is said where it is not. */
type Rule = [isRight: RegExp | ((value: unknown) => boolean), advice: string];

/** A text is JSON, as in a tag. */
const isObject = (value: unknown): boolean => {
  const given = typeof value === "string" ? attempt(() => JSON.parse(value)) : value;
  return typeof given === "function" || (typeof given === "object" && !!given && !Array.isArray(given));
};

const UID: Rule = [(value) => typeof value === "string" || Number.isSafeInteger(value), "give a text"];
const SWITCH: Rule = [/^(|true|false)$/, "write true, or leave it out"];
const BOUND: Rule = [/^0*[1-9]\d*$/, "write a number above 0, in digits alone"];
/** In milliseconds: what is under a minute was meant in another unit. So with bytes, of which an event has some hundred. */
const LARGE: Rule = [/^0*[1-9]\d{3,}$/, "write milliseconds, or bytes, in digits alone: a thousand at least"];
const FUNCTION: Rule = [(value) => typeof value === "function", "give a function, in a call of init"];
const TOKEN: Rule = [
  /^(?!https?:)[^\s"'`\u2018-\u201f\u00ab\u00bb]*$/,
  "a token is no address, and has no blanks or quotation marks (“ ” are none of HTML)",
];

const RULES: Record<string, Rule> = {
  apiToken: TOKEN,
  formerToken: TOKEN,
  // Without its protocol even `track.example.com` is a path of the page.
  trackUrl: [
    /^\s*(https?:\/\/[^\s/@?#]+(\/|\s*$)|\/|\.)[^?#]*$/i,
    "write https:// and a host, or a path that begins with /, without user and password, ? and #",
  ],
  eventPath: [/^(?!.*:\/\/)/, "write a path that begins with /; the address is trackUrl"],
  contentType: [/^(application\/json|text\/plain)$/, "write application/json or text/plain"],
  name: [/^/, ""],
  contactUid: UID,
  accountUid: UID,
  params: [isObject, 'write JSON of an object, such as data-params=\'{"plan":"team"}\''],
  pageviews: [/^(auto|hash|off)$/, "write auto, hash or off (it is taken for auto)"],
  query: [/^(?!\[object)/, "write names of parameters with blanks between, or all or none"],
  paths: [/^(keep$|\s*\/)/, "write keep, or patterns such as /patient/:name"],
  identity: [/^(remembered|page)$/, "write remembered or page (it is taken for remembered)"],
  consent: [/^\s*(granted|pending|denied)\s*$/i, "write granted, pending or denied (it is taken for pending)"],
  respectGpc: SWITCH,
  maxEvents: BOUND,
  maxBytes: LARGE,
  maxAgeMs: LARGE,
  referrer: SWITCH,
  stamp: [/^(|true|false)$/, "write true or false"],
  mute: SWITCH,
  debug: SWITCH,
  beforeSend: FUNCTION,
  onChange: FUNCTION,
  onError: FUNCTION,
};
export const NAMES = Object.keys(RULES);

/** What is said of a value that is not as it must be. */
export const adviceOn = (option: string, value: unknown): Cause => {
  const [isRight, advice] = RULES[option]!;
  return (isRight instanceof RegExp ? !isRight.test(`${value}`) : !isRight(value)) && advice;
};

const TEMPLATE = /\{\{|\{%|[$#]\{|<%|<\?|\[\[|%%|\*\||^\[object .*\]$|^\{.*\}$|^%.*%$|^@Model\b/;
/** As a template's author writes it, to be replaced. */
const TO_REPLACE =
  /^(YOUR|MY|THE)_|^(USER|CONTACT|CUSTOMER|VISITOR|MEMBER|CLIENT|ACCOUNT|COMPANY|TENANT)_?(UID|ID|NAME)$/;
/** What scripts make of a visitor who is none. */
const NOBODY = /^(undefined|null|none|nil|nan|true|false|0|-1|guest|anonymous|unknown)$/i;
const EXAMPLE = /^(contact-(17|42)|account-(4|7)|YOUR_.*|(https?:\/\/)?([\w-]+\.)*example\.(com|net|org)(\/.*)?)$/;

/** Is it one of those that this project's documents have? */
export const isExample = (value: unknown): boolean => EXAMPLE.test(`${value}`);

/** Is it what a template leaves that nothing has filled in? */
export const isTemplate = (value: unknown): boolean =>
  typeof value !== "object" && (TEMPLATE.test(`${value}`) || TO_REPLACE.test(`${value}`));

/** Is it what scripts and templates leave where nothing was? */
export const isLeft = (value: unknown): boolean =>
  typeof value === "string" && /^\s*(undefined|null|NaN)\s*$|\{\{|\{%|<\?|\[object \w+\]/.test(value);

/** Does it hold markup or a line break, as an error of the server that was written into a page? */
export const isMarkup = (value: string): boolean => /[<\n\r]/.test(value);

/** What is wrong with how somebody is called. */
export const ofName = (who: string, uid: string): Cause =>
  (isExample(uid) &&
    `The ${who} is called "${uid}", as in the documents: put its own uid there. reset() forgets it.`) ||
  ((isLeft(uid) || isMarkup(uid) || isTemplate(uid) || NOBODY.test(uid)) &&
    `The ${who} is called "${short(uid, 80)}": that is no uid, but an empty value, an error message or a template. Leave it out where there is no visitor; reset() forgets it.`);

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
const ofOption = (name: string, others: Options, isTag: boolean): Cause => {
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
      `${text} holds a character that nobody sees or that looks like another (${odd.join(", ")}): type it anew.`) ||
    (isExample(value) && !isFree && `${text} is the documents' example: write your own.`) ||
    (isTemplate(value) && !isFree && `${text} is what a template leaves.`) ||
    (advice && `${text} is wrong: ${advice}.`)
  );
};

const mistakesIn = (options: Options, isTag: boolean): Cause[] =>
  Object.entries(options)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => (NAMES.includes(name) ? ofValue(name, value, isTag) : ofOption(name, options, isTag)));

/** Those that no tracker can do without. */
const missingIn = (options: Options): string[] => ["apiToken", "trackUrl"].filter((option) => !options[option]);

/** The options in force, the token with its ends. */
const shown = (options: Options): string =>
  Object.entries(options)
    .filter(([name, value]) => NAMES.includes(name) && value !== undefined && !/^(granted|tracklet)$/.test(`${value}`))
    .map(([name, value]) => `${name} ${name === "apiToken" ? `«${visible(`${value}`)}»` : written(value)}`)
    .join(", ");

const NONE =
  "The tracker has no options: its tag has no data-api-token and data-track-url (tag managers take them away), and nothing has called init with apiToken and trackUrl.";

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
  ];
  const { address } = activity;
  // Where the address may be wrong, it is not called right: what answers there says it at its own step.
  const isOpen = (evidence.isAstray || evidence.failures > 0) && !evidence.isProven && !causes.some(Boolean);
  if (isOpen) return unknown(`${shown(options)}; is ${address} the service? See its answers`);
  if (isByTag || init || causes.some(Boolean)) return judge(shown(options) || markup, causes);
  if (page.global !== "idle" || evidence.isEarly) return unknown("none yet");
  const written = page.written.find(({ verb }) => verb === "init");
  return bad(markup, written ? `A script of this page has ${written.source}. ${NONE}` : NONE);
};
