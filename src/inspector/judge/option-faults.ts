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
const ANY: Rule = [/^/, ""];
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
  name: ANY,
  contactUid: UID,
  accountUid: UID,
  params: [isObject, 'write JSON of an object, such as data-params=\'{"plan":"team"}\''],
  pageviews: [/^(auto|hash|off)$/, "write auto, hash or off (it is taken for auto)"],
  query: [/^(?!\[object)/, "write names of parameters with blanks between, or all or none"],
  paths: [/^(keep$|\s*\/)/, "write keep, or patterns such as /patient/:name"],
  proof: ANY,
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
const NAMES = Object.keys(RULES);

/** What a template leaves that nothing has filled in, and as its author writes it, to be replaced. */
const TEMPLATE =
  /\{\{|\{%|[$#]\{|<%|<\?|\[\[|%%|\*\||^\[object .*\]$|^\{.*\}$|^%.*%$|^@Model\b|^(YOUR|MY|THE)_|^[A-Z]+_(UID|ID|NAME)$/;
/** What scripts make of a visitor who is none; markup and line breaks are of an error that the server has written into the page. */
const NOBODY = /^(undefined|null|none|nil|nan|true|false|0|-1|guest|anonymous|unknown)$|[<\n\r]/i;
const EXAMPLE = /^(contact-(17|42)|account-(4|7)|YOUR_.*|(https?:\/\/)?([\w-]+\.)*example\.(com|net|org)(\/.*)?)$/;

/** Is it one of those that this project's documents have? */
export const isExample = (value: unknown): boolean => EXAMPLE.test(`${value}`);

const isTemplate = (value: unknown): boolean => typeof value !== "object" && TEMPLATE.test(`${value}`);

/** Is it what scripts and templates leave where nothing was, whatever it should have been? */
export const isLeft = (value: unknown): boolean =>
  typeof value === "string" && /^\s*(undefined|null|NaN)\s*$|\{\{|\{%|<\?|\[object \w+\]/.test(value);

/** What is wrong with how somebody is called. */
export const ofName = (who: string, uid: string): Cause => {
  const called = `The ${who} is called "${short(uid, 80)}"`;
  if (isExample(uid)) return `${called}, as in the documents: put its own uid there. reset() forgets it.`;
  if (isTemplate(uid) || NOBODY.test(uid))
    return `${called}: that is no uid, but an empty value, an error message or a template. Leave it out where there is no visitor; reset() forgets it.`;
};

type Options = Record<string, unknown>;

/** How many letters stand between what two words begin and end with alike. */
const distance = (one: string, other: string): number => {
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  let [head, tail] = [0, 0];
  while (head < short.length && short[head] === long[head]) head++;
  while (head + tail < short.length && short[short.length - 1 - tail] === long[long.length - 1 - tail]) tail++;
  return long.length - head - tail;
};

/** The option that differs in capitals and signs alone, or in one place by two letters at most; `""` where there is none. */
const closest = (word: string): string => {
  const plain = (text: string): string => text.replace(/[^a-z]/gi, "").toLowerCase();
  const far = (name: string): number => distance(plain(word), plain(name));
  const [found] = [...NAMES].sort((one, other) => far(one) - far(other));
  return far(found!) <= Math.min(2, found!.length / 2 - 1) ? found! : "";
};

const attributeOf = (option: string): string => `data-${option.replace(/[A-Z]/g, (one) => `-${one.toLowerCase()}`)}`;

/** What is wrong with the name of an option, beside others. */
const ofOption = (name: string, others: Options, isTag: boolean): Cause => {
  const spell = (option: string): string => (isTag ? attributeOf(option) : `${option}, given to init,`);
  // What other trackers call it.
  const alias = /^(contact|user)(Id)?$/.test(name) ? "contactUid" : /^account(Id)?$/.test(name) ? "accountUid" : "";
  // `dataApiToken`, set as an attribute, has lost its hyphens.
  const meant = closest(name.replace(/^data/i, "")) || (alias in others ? "" : alias);
  // In a tag, consent tools and those that make a page quicker have attributes of their own, such as `data-category`.
  if (meant || !isTag)
    return `${spell(name)} is no option: ${meant ? `perhaps ${spell(meant)} is meant` : "check how it is written"}.`;
};

const ofValue = (option: string, value: unknown, isTag: boolean): Cause => {
  const given = `${option}: ${written(value)}, given to init,`;
  const text = isTag ? `${attributeOf(option)}="${visible(`${value}`)}"` : given;
  const [isRight, advice] = RULES[option]!;
  // An address that is missing is told elsewhere; whom these name is looked at where it is stored.
  if (value === "" && /^(apiToken|trackUrl)$/.test(option)) return;
  if (!/Uid$|^params$/.test(option)) {
    const odd = typeof value === "string" ? oddIn(value) : [];
    if (odd.length > 0)
      return `${text} holds a character that nobody sees or that looks like another (${odd.join(", ")}): type it anew.`;
    if (isExample(value)) return `${text} is the documents' example: write your own.`;
    if (isTemplate(value)) return `${text} is what a template leaves.`;
  }
  if (isRight instanceof RegExp ? !isRight.test(`${value}`) : !isRight(value)) return `${text} is wrong: ${advice}.`;
};

const mistakesIn = (options: Options, isTag: boolean): Cause[] =>
  Object.entries(options)
    .filter(([, value]) => value != null)
    .map(([name, value]) => (NAMES.includes(name) ? ofValue(name, value, isTag) : ofOption(name, options, isTag)));

const missingIn = (options: Options): string[] => ["apiToken", "trackUrl"].filter((option) => !options[option]);

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
  const isOpen = (evidence.isAstray || evidence.isUnheard) && !evidence.isProven && !causes.some(Boolean);
  if (isOpen) return unknown(`${shown(options)}; is ${address} the service? See its answers`);
  if (isByTag || init || causes.some(Boolean)) return judge(shown(options) || markup, causes);
  if (page.global !== "idle" || evidence.isEarly) return unknown("none yet");
  const written = page.written.find(({ verb }) => verb === "init");
  return bad(markup, written ? `A script of this page has ${written.source}. ${NONE}` : NONE);
};
