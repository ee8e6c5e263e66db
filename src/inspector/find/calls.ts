/** The calls of the page: those that wait, those that are made, and those that are written in its scripts. */
import type { Call } from "../watch/activity.js";
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

/** One that was made, or waits, or is written in a script. */
type AnyCall = Omit<Call, "became"> & { became?: string; source?: string };

const mistakesIn = ({ verb, args: [first, second] }: AnyCall): Cause[] => {
  if (verb === "push")
    return [`push was given ${written(first)}, and no call: a call is an array, such as push(["track", "signup"]).`];
  if (!VERBS.includes(verb)) return [`There is no verb "${verb}": the verbs are ${VERBS.join(", ")}.`];
  if (verb === "track") return [ofUid("track", first)];
  if (verb !== "identify") return [];
  return [ofUid("identify", first), second != null && second !== "" && ofUid("The accountUid of identify", second)];
};

const shown = ({ verb, args, source, became = "" }: AnyCall): string =>
  source ?? `${verb}(${args.map(written).join(", ")}) ${became}`.trim();

export const called = ({ page, activity }: Evidence): Look => {
  const waiting = page.calls.map((call): AnyCall => {
    const [verb, ...args] = Array.isArray(call) ? call : ["push", call];
    return { verb: String(verb), args, became: "waits" };
  });
  const all: AnyCall[] = [...activity.calls, ...waiting, ...page.inline.calls];
  const causes = [...new Set(all.flatMap(mistakesIn))].filter(Boolean);
  // Of a call in sight its value is told, too.
  const found = causes.length > 0 ? causes : toldAt("Calls", activity);
  return judge(all.slice(0, 6).map(shown).join("; ") || "none in sight", found);
};
