/** What the tracker itself tells is wrong, in plain words, and the step at which that stands. */
import type { Activity } from "../watch/activity.js";
import type { Cause } from "./evidence.js";

export const VERBS = "init identify track pageview flush reset identity consent optIn optOut onChange debug".split(" ");

/** By code and detail, the first that matches. */
// biome-ignore format: a table
const TOLD: [step: "Options" | "Calls" | "Stored here" | "Answered" | "", what: RegExp, words: string][] = [
  ["Options", /^input init again: apiToken, name$/, "A second script tag, or a second call of init, has another apiToken or name. The first one holds: leave one alone, or give one a data-name of its own."],
  ["Options", /^input init: formerToken$/, "Events of another token wait in this browser, and are left alone. If that token was corrected or replaced, name it as formerToken (data-former-token): they are delivered then. If it is another application's, give each a data-name of its own."],
  // The rest of what is said of options is seen of them.
  ["", /^input init\b/, ""],
  ["Calls", /^input (identify|track): (contactUid|accountUid|eventUid)$/, "$1 was given no $2: give a text that is not empty."],
  ["Calls", /^input no init$/, "A thousand calls wait for init, and more are dropped."],
  // Of a text in place of a call, the first letter is taken for the verb; of several calls in one array, the first call.
  ["Calls", /^input (?!push|onChange)(.+): TypeError.*/, `There is no verb "$1": the verbs are ${VERBS.join(", ")}.`],
  ["Calls", /^input (.+): params\.(.+)$/, "$2 in the params of $1 cannot be written as JSON: it is left out."],
  ["Calls", /^input (.+): params$/, "The params of $1 are no object: they are left out. Give an object, such as { plan: \"team\" }."],
  ["Stored here", /^input beforeSend: .*no event_uid.*/, "beforeSend has returned what is no event, as its params alone or a promise: such events are dropped. Let it return the event itself, or nothing."],
  ["Stored here", /^input beforeSend: (.*)/, "beforeSend has failed, and its events are dropped: $1. Correct this function of the page."],
  ["Stored here", /^throttled (.*)/, "An event is tracked far too often, as by a loop, and what is too many is dropped: $1."],
  ["Stored here", /^evicted (.*)/, "An event was dropped: it is too large, or too many wait, or too long: $1."],
  ["Stored here", /^error (.*)/, "tracklet itself has failed, please report it: $1."],
  ["Answered", /^rejected (.*)/, "An event was dropped, because the service refuses it ($1), and takes others. What it said stands among the last answers."],
  ["Calls", /^input (.*)/, "A call or an argument is wrong: $1."],
];

export const toldAt = (step: string, { told }: Activity): Cause[] =>
  [...told]
    .flatMap(([code, details]) => [...details].map((detail) => `${code} ${detail}`))
    .map((line) => {
      const [at, what, words] = TOLD.find(([, what]) => what.test(line)) ?? [];
      return at === step && line.replace(what!, words!);
    });
