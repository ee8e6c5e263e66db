/** The calls of the page: those that wait, those that are made, and those that are written in its scripts. */
import { UNKNOWN } from "../watch/inline.js";
import { written } from "../watch/visible.js";
import { type Cause, type Evidence, judge, type Look } from "./evidence.js";
import { toldAt, VERBS } from "./told.js";

/** What is wrong with a uid or a name. */
const ofUid = (what: string, value: unknown): Cause => {
  if (value === UNKNOWN || (typeof value === "string" && value) || Number.isSafeInteger(value)) return "";
  return Number.isInteger(value)
    ? `${what} was given ${value}, which is too large for a number: its last digits are lost. Put it in quotes.`
    : `${what} was given ${written(value)}: give a text that is not empty.`;
};

interface Call {
  verb: string;
  args: readonly unknown[];
  became?: string;
  /** As it is written in a script. */
  source?: string;
}

const mistakesIn = ({ verb, args: [first, second] }: Call): Cause[] => {
  if (verb === "push")
    return [`push was given ${written(first)}, and no call: a call is an array, such as push(["track", "signup"]).`];
  if (!VERBS.includes(verb)) return [`There is no verb "${verb}": the verbs are ${VERBS.join(", ")}.`];
  if (verb === "track") return [ofUid("track", first)];
  if (verb !== "identify") return [];
  return [ofUid("identify", first), second != null && second !== "" && ofUid("The accountUid of identify", second)];
};

const shown = ({ verb, args, source, became = "" }: Call): string =>
  source ?? `${verb}(${args.map(written).join(", ")}) ${became}`.trim();

/** Calls that fail, because they stand before what they call. */
const ofEarly = ({ page, contact }: Evidence): Cause[] => {
  if (contact) return [];
  const { name, taken, inline } = page;
  const direct = inline.calls.find(({ verb, isPushed, isOuter }) => verb === "identify" && !isPushed && isOuter);
  return [
    taken.startsWith("the element") &&
      inline.calls.length > 0 &&
      `Before the script has run, window.${name} is ${taken}: calls of push fail there, and never reach the tracker. Give the element another id, or the tracker a data-name of its own.`,
    direct &&
      `Nobody is named, and a script in this page calls ${direct.source}: before our script has loaded that is an error (the console says "identify is not a function"). Write ${name}.push(["identify", …]), which waits.`,
  ];
};

export const called = (evidence: Evidence): Look => {
  const { page, activity } = evidence;
  const waiting = page.calls.map((call): Call => {
    const [verb, ...args] = Array.isArray(call) ? call : ["push", call];
    return { verb: String(verb), args, became: "waits" };
  });
  const all: Call[] = [...activity.calls, ...waiting, ...page.inline.calls];
  const causes = [...new Set([...all.flatMap(mistakesIn), ...ofEarly(evidence)])].filter(Boolean);
  // Of a call in sight its value is told, too.
  const found = causes.length > 0 ? causes : toldAt("Calls", activity);
  return judge(all.slice(0, 6).map(shown).join("; ") || "none in sight", found);
};
