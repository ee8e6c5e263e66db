/** The calls of the page: those that wait, those that are made, and those that are written in it; and what the tracker told of them. */
import type { Activity, Call } from "../watch/activity.js";
import { UNKNOWN, type WrittenCall } from "../watch/scripts.js";
import { callOf, written } from "../watch/visible.js";
import { type Cause, type Evidence, judge, type Look, policyOn } from "./evidence.js";

const VERBS = "init identify track pageview flush reset identity consent optIn optOut onChange debug".split(" ");

const NO_LIST = 'push was given no list: write each call in brackets, as push(["track", "signup"]).';

/** What the tracker itself tells is wrong, by code and detail, and the step at which that stands: the first that matches. */
// biome-ignore format: a table
const TOLD: [step: "Options" | "Calls" | "Stored here" | "Answered" | "", what: RegExp, words: string][] = [
  ["Options", /^input init again: apiToken, name$/, "A second tag, or call of init, has another apiToken or name. The first one holds: leave one out, or give it a data-name of its own."],
  ["Options", /^input init: formerToken$/, "Events of another token wait here. Was it corrected or replaced? Name it in data-former-token (formerToken). Is it another application's? Give each a data-name of its own."],
  // The rest of what is said of options is seen of them.
  ["", /^input init\b/, ""],
  ["Calls", /^input (identify|track): (contactUid|accountUid|eventUid)$/, "$1 was given no $2: give a text that is not empty."],
  // Of a text in place of a call, the first letter is taken for the verb.
  ["Calls", /^input (\w|push): TypeError.*/, NO_LIST],
  // Of several calls in one array, the first is.
  ["Calls", /^input (?!push|onChange|beforeSend)(.+): TypeError.*/, `There is no verb "$1": the verbs are ${VERBS.join(", ")}.`],
  ["Calls", /^input (.+): params\.(.+)$/, "$2 in the params of $1 cannot be written as JSON: it is left out."],
  ["Calls", /^input (.+): params$/, "The params of $1 are no object, and are left out."],
  ["Stored here", /^input beforeSend: (.*)/, "beforeSend has failed ($1), or returned what is no event, as a promise (async) or the params alone: such events are dropped. Let it return the event itself, or nothing."],
  ["Stored here", /^throttled (.*)/, "An event is tracked far too often, as by a loop; the rest is dropped: $1."],
  ["Stored here", /^evicted (.*)/, "An event was dropped: it is too large, or too many wait, or too long: $1."],
  ["Stored here", /^error (.*)/, "tracklet itself has failed, please report it: $1."],
  ["Answered", /^rejected (.*)/, "An event was dropped: the service refuses it ($1), and takes others. What it said stands below."],
  ["Calls", /^input (.*)/, "A call or an argument is wrong: $1."],
];

export const toldAt = (step: string, { told }: Activity): Cause[] =>
  [...told]
    .flatMap(([code, details]) => [...details].map((detail) => `${code} ${detail}`))
    .map((line) => {
      const [at, what, words] = TOLD.find(([, what]) => what.test(line)) ?? [];
      return at === step && line.replace(what!, words!);
    });

/** What is wrong with a uid or a name. */
const ofUid = (what: string, value: unknown): Cause => {
  if (value === UNKNOWN || (typeof value === "string" && value) || Number.isSafeInteger(value)) return "";
  return Number.isInteger(value)
    ? `${what} was given ${value}, too large for a number, which loses its last digits: put it in quotes.`
    : `${what} was given ${written(value)}: give a text that is not empty.`;
};

/** One that was made, or waits, or is written in a script. */
type AnyCall = Pick<Call, "verb" | "args"> & Partial<Call & WrittenCall>;

const mistakesIn = (name: string, { verb, args: [first, second], by, source }: AnyCall): Cause[] => {
  if (by === "function")
    return [`${source} calls ${name} as a function, which it is not: write ${name}.push(["${verb}", …]).`];
  if (verb === "push") return [NO_LIST];
  if (!VERBS.includes(verb)) return [`There is no verb "${verb}": the verbs are ${VERBS.join(", ")}.`];
  if (verb === "track") return [ofUid("track", first)];
  if (verb !== "identify") return [];
  return [ofUid("identify", first), second != null && second !== "" && ofUid("The accountUid of identify", second)];
};

const shown = ({ verb, args, source, became = "", caller = "" }: AnyCall): string =>
  source ?? `${verb}(${args.map(written).join(", ")}) ${became}${caller && ` at ${caller}`}`.trim();

export const called = (evidence: Evidence): Look => {
  const { page, activity } = evidence;
  const { name } = page;
  const waiting = page.calls.map((call): AnyCall => {
    const [verb, ...args] = callOf(call);
    return { verb: String(verb), args, became: "waits" };
  });
  const all: AnyCall[] = [...activity.calls, ...waiting, ...page.written];
  const mistakes = all.flatMap((call) => mistakesIn(name, call)).filter(Boolean);
  const causes = [
    ...page.broken.map(([text, fault]) => `${text} does not parse, so nothing of it runs: ${fault}.`),
    page.hasHandlers &&
      policyOn(evidence, "script-src-attr", "inline", "Attributes such as onclick do nothing: add listeners."),
    // Of a call in sight its value is told, too.
    ...(mistakes.length > 0 ? mistakes : toldAt("Calls", activity)),
    ...activity.errors
      .filter((error) => error.replace(/\S+:\/\/\S+/g, "").includes(name))
      .map((error) => `An error of this page: ${error}.`),
    ...page.twins.map(
      (twin) =>
        `${twin}, another tracker of this page, sends there with the same token: each view is counted twice. Take one out.`,
    ),
    ...[...activity.doubled].map(
      (view) =>
        `The view of ${view} was counted twice within a second: the page calls pageview beside the automatic ones. Take these calls away, or set data-pageviews="off".`,
    ),
  ];
  return judge(all.slice(0, 6).map(shown).join("; ") || "none in sight", causes);
};
