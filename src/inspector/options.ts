/** The attributes of a script tag that are options, and what is wrong with those of a page. */

export type Options = Record<string, string | undefined>;

/** What a value must be, and what is said where it is not. */
type Rule = [isRight: (value: string) => boolean, advice: string];

const oneOf = (words: RegExp, advice: string): Rule => [(value) => words.test(value), advice];

const isAddress = (value: string): boolean => {
  try {
    return !!new URL(value, "https://page.example");
  } catch {
    return false;
  }
};

const ANYTHING: Rule = [() => true, ""];
const SWITCH = oneOf(/^(|true|false)$/, "write true, or leave it out (it is off)");
const BOUND: Rule = [(value) => Number(value) > 0, "write a number above 0 (the default holds)"];

/** Every attribute of the script tag that is an option. */
const RULES = new Map<string, Rule>(
  Object.entries({
    apiToken: ANYTHING,
    trackUrl: [isAddress, "write an address, such as https://track.example.com"],
    eventPath: ANYTHING,
    contentType: oneOf(/^(application\/json|text\/plain)$/, "write application/json or text/plain"),
    name: ANYTHING,
    contactUid: ANYTHING,
    accountUid: ANYTHING,
    pageviews: oneOf(/^(auto|hash|off)$/, "write auto, hash or off (it is taken for auto)"),
    consent: oneOf(/^(granted|pending|denied)$/, "write granted, pending or denied (it is taken for pending)"),
    respectGpc: SWITCH,
    maxEvents: BOUND,
    maxBytes: BOUND,
    maxAgeMs: BOUND,
    stamp: SWITCH,
    debug: SWITCH,
  }),
);

const attributeOf = (option: string): string =>
  `data-${option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** Does the tag configure the tracker, be it wrongly? If not, a call of `init` does. */
export const configures = (tag: Options | undefined): tag is Options =>
  tag?.apiToken !== undefined || tag?.trackUrl !== undefined;

/** Attributes that are no options, most often misspelt, and those with a wrong value, in words. */
export const mistakesIn = (tag: Options): string[] =>
  Object.entries(tag).flatMap(([option, value = ""]) => {
    const rule = RULES.get(option);
    if (!rule) return `${attributeOf(option)} is no option: check how it is written.`;
    const [isRight, advice] = rule;
    return isRight(value) ? [] : `${attributeOf(option)}="${value}" is wrong: ${advice}.`;
  });
