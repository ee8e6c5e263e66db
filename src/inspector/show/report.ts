/** All that the panel shows, as plain data. */
import { TEST } from "../ask/test-event.js";
import { type Evidence, isGood, type State } from "../find/evidence.js";
import { type Step, walk } from "../find/steps.js";
import { clock, type Line, type List, listsOf } from "./lists.js";

export interface Report {
  /** In a sentence. */
  headline: string;
  state: State;
  /** What becomes of the test event; `""` where none was asked for. */
  test: string;
  causes: Line[];
  lists: List[];
}

const headlineOf = ({ activity, isProven }: Evidence, steps: Step[]): [state: State, headline: string] => {
  const last = activity.exchanges.find(({ status }) => isGood(status));
  const [wrong, waiting] = ["bad", "waits"].map((state) => steps.find((step) => step.state === state));
  const isSure = steps[steps.length - 1]!.state === "good";
  const where = isProven ? "An event was stored, but not all is right" : "It stops";
  if (wrong) return ["bad", `${where} at “${wrong.name}”.`];
  if (waiting) return ["waits", `Nothing is wrong so far. It waits at “${waiting.name}”.`];
  if (!last) return ["unknown", "Nothing wrong is to be seen, and nothing was sent yet."];
  if (!isSure) return ["unknown", `An answer was good, and what it said was not heard (${last.status}).`];
  return ["good", `Working: the last event was stored at ${clock(last.at)} (${last.status}).`];
};

/** Where the test event stands. */
const testOf = ({ activity, stored }: Evidence, steps: Step[]): string => {
  if (!activity.isTested) return "";
  const exchange = activity.exchanges.find(({ event }) => event.split(", ").includes(TEST));
  if (exchange && isGood(exchange.status))
    return `Test event: stored at the service (${exchange.status} ${exchange.words}), as ${TEST}.`;
  if (exchange && exchange.status < 0) return "Test event: sent, and not answered yet.";
  const stop = steps.find(({ state }) => state === "bad" || state === "waits");
  const where = stored.events.some(({ event }) => event === TEST) ? "stored here, and " : "";
  return `Test event: ${where}stands at “${stop?.name ?? "Sent"}”${stop ? `: ${stop.seen}` : ""}.`;
};

export const reportOf = (evidence: Evidence): Report => {
  const steps = walk(evidence);
  const [state, headline] = headlineOf(evidence, steps);
  return {
    ...{ state, headline, test: testOf(evidence, steps) },
    causes: steps.flatMap(({ state, name, causes }) =>
      causes.map((text) => ({ ...{ state, title: name, text, note: "" } })),
    ),
    lists: listsOf(evidence, steps),
  };
};
