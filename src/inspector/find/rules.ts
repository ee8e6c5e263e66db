/** What the value of each option must be. */

/** What a value must be, and what is said where it is not. */
type Rule = [isRight: (value: unknown) => boolean, advice: string];

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
export const UID: Rule = [(value) => typeof value === "string" || Number.isSafeInteger(value), "give a text"];
const SWITCH = oneOf(/^(|true|false)$/, "write true, or leave it out (it is off)");
const BOUND: Rule = [
  (value) => Number(value) > 0 && !/[.,]/.test(`${value}`),
  "write a number above 0, in digits alone (the default holds)",
];
const FUNCTION: Rule = [(value) => typeof value === "function", "give a function, in a call of init"];

const TOKEN: Rule = [
  (value) => !/[\s"'`\u2018-\u201f\u00ab\u00bb]/.test(`${value}`),
  "a token has neither blanks nor quotation marks; those of a text processor (“ ”) are no marks of HTML",
];

export const RULES: Record<string, Rule> = {
  apiToken: TOKEN,
  formerToken: TOKEN,
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
  query: [
    (value) => [value].flat().every((name) => typeof name === "string"),
    "write names of parameters with blanks between, such as filter plan, or give an array of them; or all, or none",
  ],
  paths: oneOf(/^keep$/, "write keep, or leave it out (ids are replaced)"),
  consent: oneOf(/^\s*(granted|pending|denied)\s*$/i, "write granted, pending or denied (it is taken for pending)"),
  respectGpc: SWITCH,
  maxEvents: BOUND,
  maxBytes: BOUND,
  maxAgeMs: BOUND,
  stamp: SWITCH,
  mute: SWITCH,
  debug: SWITCH,
  beforeSend: FUNCTION,
  onError: FUNCTION,
};
export const NAMES = Object.keys(RULES);
