/** The calls of the page: those that wait, those that are made, and those that are written in its scripts. */
import { UNKNOWN } from "../watch/inline.js";
import { written } from "../watch/visible.js";
import { closest } from "./closest.js";
import { type Cause, type Evidence, judge, type Look } from "./evidence.js";

const VERBS = "init identify track pageview flush reset identity consent optIn optOut debug".split(" ");

const GIVE_TEXT = "give a text that is not empty";

/** What is wrong with a uid or a name. */
const ofUid = (what: string, value: unknown): Cause => {
  if (value === UNKNOWN || (typeof value === "string" && value) || Number.isSafeInteger(value)) return "";
  return Number.isInteger(value)
    ? `${what} was given ${value}, which is too large for a number: its last digits are lost. Put it in quotes.`
    : `${what} was given ${written(value)}: ${GIVE_TEXT}.`;
};

const unknownVerb = (verb: string): string => {
  const meant = closest(verb, VERBS);
  return `There is no verb "${verb}", which push was given: ${meant ? `perhaps "${meant}" is meant` : `the verbs are ${VERBS.join(", ")}`}.`;
};

interface Call {
  verb: string;
  args: readonly unknown[];
  became?: string;
}

const mistakesInCall = ({ verb, args: [first, second] }: Call): Cause[] => {
  if (verb === "push")
    return [
      first !== UNKNOWN &&
        `push was given ${written(first)}, and no call: a call is an array, such as push(["track", "signup"]).`,
    ];
  if (verb && !VERBS.includes(verb)) return [unknownVerb(verb)];
  if (verb === "identify")
    return [
      ofUid("identify", first),
      second == null || second === "" ? "" : ofUid("The accountUid of identify", second),
    ];
  return [verb === "track" ? ofUid("track", first) : ""];
};

/** A mistake that the tracker itself tells of, in words; `""` where another step tells of it. */
const ofInput = (detail: string): Cause => {
  const [, who, what] = /^(identify|track): (contactUid|accountUid|eventUid)$/.exec(detail) ?? [];
  const [, verb = ""] = /^no verb (.+)/.exec(detail) ?? [];
  const [, name, params] = /^(?!init)(.+): params(\..+)?$/.exec(detail) ?? [];
  return (
    (who && `${who} was given no ${what}: ${GIVE_TEXT}.`) ||
    (detail === "no init" &&
      `A thousand calls wait for init, and more of them are dropped: nothing configures the tracker.`) ||
    // Of a text in place of a call, the first letter is taken for the verb.
    (verb.length === 3 && `push was given a text: a call is an array, such as push(["track", "signup"]).`) ||
    (verb.startsWith("[") && `push was given a list of calls in one array: give it each call by itself.`) ||
    (verb && unknownVerb(verb.replace(/"/g, ""))) ||
    (params && `${params?.slice(1)} in the params of ${name} cannot be written as JSON: it is left out.`) ||
    (name && `The params of ${name} are no object: they are left out. Give an object, such as { plan: "team" }.`) ||
    (!/^(init|beforeSend)/.test(detail) && `A call or an argument is wrong: ${detail}.`)
  );
};

const shownArgument = (value: unknown): string => (value === UNKNOWN ? "…" : written(value));
const shown = ({ verb, args, became = "" }: Call): string =>
  `${verb}(${args.map(shownArgument).join(", ")}) ${became}`.trim();

/** Calls that fail, because they stand before what they call. */
const ofEarly = ({ page, stored, activity }: Evidence): Cause[] => {
  if (stored.contact || activity.contact) return [];
  const { name, taken, inline } = page;
  const direct = inline.calls.find(({ verb, isPushed, isOuter }) => verb === "identify" && !isPushed && isOuter);
  return [
    taken.startsWith("the element") &&
      inline.isNamed &&
      `Before the script has run, window.${name} is ${taken}: calls of push fail there, and never reach the tracker. Give the element another id, or the tracker a data-name of its own.`,
    direct &&
      `Nobody is named, and a script in this page calls ${name}.${direct && shown(direct)}: before our script has loaded that is an error (the console says "identify is not a function"). Write ${name}.push(["identify", …]), which waits.`,
  ];
};

const ofAddOns = (evidence: Evidence): Cause[] => {
  const { addOns, unnamed } = evidence.page;
  const meant = (option: string): string => closest(option, ["outbound", "downloads"]);
  return [
    ...addOns.flatMap(({ options }) =>
      Object.keys(options).map(
        (option) =>
          meant(option) &&
          meant(option) !== option &&
          `data-${option} is no option of the add-on for clicks: perhaps data-${meant(option)} is meant.`,
      ),
    ),
    ...addOns.map(
      ({ src, isRunning }) =>
        !isRunning &&
        !evidence.isEarly &&
        `The add-on at ${src} has not run: check the address, the page's script-src, and whether an extension of the browser blocks it.`,
    ),
    unnamed &&
      `data-track names no event on ${unnamed === 1 ? "an element" : `${unnamed} elements`}, so nothing is tracked there: write data-track="plan_chosen", say.`,
  ];
};

export const called = (evidence: Evidence): Look => {
  const { page, activity } = evidence;
  const waiting = page.calls.map((call): Call => {
    const [verb, ...args] = Array.isArray(call) ? call : ["push", call];
    return { verb: String(verb), args, became: "waits" };
  });
  const all: Call[] = [...activity.calls, ...waiting, ...page.inline.calls];
  const causes = new Set([...all.flatMap(mistakesInCall), ...ofEarly(evidence)]);
  /** Of a call in sight its value is told, too. */
  const isTold = (detail: string): boolean =>
    [...causes]
      .map(String)
      .some(
        (cause) =>
          cause.startsWith(detail.split(":")[0]!) || (/^no verb/.test(detail) && /^(There is|push)/.test(cause)),
      );
  for (const detail of activity.problems.get("input") ?? []) causes.add(isTold(detail) ? "" : ofInput(detail));
  const found = [...causes, ...ofAddOns(evidence)];
  return judge(all.slice(0, 6).map(shown).join("; ") || "none in sight", found);
};
