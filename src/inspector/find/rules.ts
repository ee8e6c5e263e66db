/** What the value of each option must be, and values that nobody has filled in: what templates leave, and the documents' examples. */
import { attempt } from "../../shared/attempt.js";
import type { Cause } from "./evidence.js";

/** What a value must be, written as text, and what is said where it is not. */
type Rule = [isRight: RegExp | ((value: unknown) => boolean), advice: string];

/** A text is JSON, as in a tag. */
const isObject = (value: unknown): boolean => {
  const given = typeof value === "string" ? attempt(() => JSON.parse(value)) : value;
  return typeof given === "function" || (typeof given === "object" && !!given && !Array.isArray(given));
};

const UID: Rule = [(value) => typeof value === "string" || Number.isSafeInteger(value), "give a text"];
const SWITCH: Rule = [/^(|true|false)$/, "write true, or leave it out (it is off)"];
const BOUND: Rule = [/^0*[1-9]\d*$/, "write a number above 0, in digits alone (the default holds)"];
const FUNCTION: Rule = [(value) => typeof value === "function", "give a function, in a call of init"];
const TOKEN: Rule = [
  /^[^\s"'`\u2018-\u201f\u00ab\u00bb]*$/,
  "a token has neither blanks nor quotation marks; those of a text processor (“ ”) are no marks of HTML",
];

const RULES: Record<string, Rule> = {
  apiToken: TOKEN,
  formerToken: TOKEN,
  // Without its protocol even `track.example.com` is a path of the page.
  trackUrl: [/^(https?:\/\/[^\s/]|\/|\.)/i, "write an address with https:// in front, or a path that begins with /"],
  eventPath: [/^(?!.*:\/\/)/, "write a path that begins with /; the address is trackUrl"],
  contentType: [/^(application\/json|text\/plain)$/, "write application/json or text/plain"],
  name: [/^/, ""],
  contactUid: UID,
  accountUid: UID,
  identity: [/^(remembered|page)$/, "write remembered or page (it is taken for remembered)"],
  params: [isObject, 'write JSON of an object in a tag, such as data-params=\'{"plan":"team"}\'; it is left out'],
  pageviews: [/^(auto|hash|off)$/, "write auto, hash or off (it is taken for auto)"],
  query: [
    /^(?!\[object)/,
    "write names of parameters with blanks between, give an array of them, or write all or none",
  ],
  paths: [/^keep$/, "write keep, or leave it out (ids are replaced)"],
  consent: [/^\s*(granted|pending|denied)\s*$/i, "write granted, pending or denied (it is taken for pending)"],
  respectGpc: SWITCH,
  maxEvents: BOUND,
  maxBytes: BOUND,
  maxAgeMs: BOUND,
  referrer: SWITCH,
  stamp: SWITCH,
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

/** What is wrong with how somebody is called. */
export const ofName = (who: string, uid: string): Cause =>
  (isExample(uid) &&
    `The ${who} is called "${uid}", as in the documents: put the uid there that this ${who} has with you. Call reset() first, which forgets this one.`) ||
  ((isTemplate(uid) || NOBODY.test(uid)) &&
    `The ${who} is called "${uid}": what should have put a uid there had none, or a template left it. Give it one, or leave it out where there is no visitor; reset() forgets this one.`);
