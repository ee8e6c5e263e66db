/** All that the panel shows, as plain data, and the same as text. */
import { TEST } from "../ask/test-event.js";
import { type Evidence, isGood } from "../find/evidence.js";
import { type Step, walk } from "../find/steps.js";
import { type List, listsOf } from "./lists.js";

export interface Report {
  /** In a sentence. */
  headline: string;
  kind: Step["state"];
  /** What becomes of the test event; `""` where none was asked for. */
  test: string;
  steps: Step[];
  lists: List[];
}

const ago = (ms: number): string => {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  if (seconds < 60) return `${seconds} s ago`;
  return seconds < 3_600 ? `${Math.round(seconds / 60)} min ago` : `${Math.round(seconds / 3_600)} h ago`;
};

const headlineOf = (evidence: Evidence, steps: Step[]): [kind: Step["state"], headline: string] => {
  const last = evidence.activity.exchanges.find(({ status }) => isGood(status));
  const [wrong, waiting] = ["bad", "waits"].map((state) => steps.find((step) => step.state === state));
  const isSure = steps[steps.length - 1]!.state === "good";
  const where = evidence.isProven ? "An event was stored, but not all is right" : "It stops";
  if (wrong) return ["bad", `${where} at “${wrong.name}”.`];
  if (waiting) return ["waits", `Nothing is wrong so far. It waits at “${waiting.name}”.`];
  if (!last) return ["unknown", "Nothing wrong is to be seen, and nothing was sent yet."];
  if (!isSure) return ["unknown", `An answer was good, and what it said was not heard (${last.status}).`];
  return ["good", `Working: the last event was stored ${ago(evidence.page.now - last.at)} (${last.status}).`];
};

/** Where the test event stands. */
const testOf = ({ activity, stored }: Evidence, steps: Step[]): string => {
  if (!activity.isTested) return "";
  const exchange = activity.exchanges.find(({ body }) => body.includes(`"${TEST}"`));
  if (exchange && isGood(exchange.status))
    return `Test event: stored at the service (${exchange.status} ${exchange.words}), as ${TEST}.`;
  if (exchange && exchange.status < 0) return "Test event: sent, and not answered yet.";
  const stop = steps.find(({ state }) => state === "bad" || state === "waits");
  const where = stored.events.some(({ event }) => event === TEST) ? "stored here, and " : "";
  return `Test event: ${where}stands at “${stop?.name ?? "Sent"}”${stop ? `: ${stop.seen}` : ""}.`;
};

export const reportOf = (evidence: Evidence): Report => {
  const steps = walk(evidence);
  const [kind, headline] = headlineOf(evidence, steps);
  return { kind, headline, test: testOf(evidence, steps), steps, lists: listsOf(evidence) };
};

/**
 * The report as text, for a message to whoever can mend it.
 *
 * @param page address of the page
 */
export const textOf = ({ headline, test, steps, lists }: Report, name: string, page: string): string =>
  [
    `${name} on ${page}, ${new Date().toISOString()}`,
    "",
    headline,
    ...(test ? [test] : []),
    ...steps.flatMap(({ state, name, seen, causes }) => [
      `[${state}] ${name}: ${seen}`,
      ...causes.map((cause) => `    ${cause}`),
    ]),
    "",
    ...lists.flatMap(({ title, empty, note, items }) => [
      "",
      title,
      ...(note ? [note] : []),
      ...(items.length > 0
        ? items.map(([text, note]) => (note ? `- ${text} (${note})` : `- ${text}`))
        : [`- ${empty}`]),
    ]),
    "",
  ].join("\n");
