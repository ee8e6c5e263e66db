/** All that the panel shows, as plain data. */
import { type Evidence, isGood, isPage, type State } from "../find/evidence.js";
import { type Line, type Step, walk } from "../find/steps.js";
import type { Exchange } from "../watch/activity.js";
import { replacedIn } from "./views.js";

export interface List {
  title: string;
  /** What is to be known of all of them, or in place of them. */
  note: string;
  lines: Line[];
}

export interface Report {
  /** In a sentence. */
  headline: string;
  state: State;
  causes: Line[];
  lists: List[];
}

/** Answers that are shown. */
const SHOWN = 8;

const clock = (epoch: number): string => new Date(epoch).toLocaleTimeString();
const said = ({ status, words }: Exchange): string => `${status} ${words}`.trim();

const answersOf = ({ activity, isBlind }: Evidence): Line[] =>
  [...activity.exchanges.filter(({ status }) => status >= 0), ...activity.answers].slice(0, SHOWN).map((exchange) => {
    const { at, status, event, visitUrl, answerType } = exchange;
    const isStored = isGood(status) && !isPage(answerType);
    return {
      state: isStored && isBlind ? "unknown" : isStored ? "good" : "bad",
      title: event || "before this panel",
      text: `${visitUrl} ${clock(at)}${at < performance.timeOrigin ? ", before the reload" : ""}`.trim(),
      note: status === 0 ? "no answer" : isBlind ? "the answer cannot be read" : said(exchange),
    };
  });

const waitingOf = ({ stored }: Evidence): Line[] =>
  stored.events.map(({ event, contact, visitUrl, failures, isUndecided }) => {
    const failed = failures > 0 ? `, failed ${failures} ×` : "";
    const left = isUndecided ? ", most likely stored, as a page was left" : "";
    const text = `${contact ? `of ${contact}` : "of nobody yet"}${failed}${left}`;
    return { state: "waits", title: event, text, note: visitUrl };
  });

/** When the next attempt comes, where there is a pause. */
const nextAttempt = ({ stored: { pauseMs }, activity: { exchanges, answers } }: Evidence): string => {
  const heard = exchanges.find(({ isHeard }) => isHeard) ?? answers[0];
  const isAsked = heard && heard.at + Number(heard.retryAfter) * 1_000 > Date.now();
  const when = `Next attempt: in ${Math.ceil(pauseMs / 1_000)} s${isAsked ? ", as the service asked" : ""}.`;
  return pauseMs > 0 ? when : "";
};

const listsOf = (evidence: Evidence, steps: Line[]): List[] => {
  const { eventCount, events } = evidence.stored;
  const replaced = replacedIn(evidence);
  const answers = answersOf(evidence);
  return [
    { title: "Steps", note: "", lines: steps },
    {
      title: "Last answers",
      note: `${answers.length > 0 ? "" : "None yet. "}${replaced && `Replaced in page views: ${replaced}.`}`,
      lines: answers,
    },
    // Last: it may be long.
    {
      title: `Waiting: ${eventCount.toLocaleString("en")}`,
      note: `${nextAttempt(evidence)}${eventCount > events.length ? ` The first ${events.length} are:` : ""}`,
      lines: waitingOf(evidence),
    },
  ];
};

const headlineOf = ({ activity, isProven }: Evidence, steps: Step[]): [state: State, headline: string] => {
  const last = activity.exchanges.find(({ status }) => isGood(status));
  const [wrong, waiting] = ["bad", "waits"].map((state) => steps.find((step) => step.state === state));
  const isSure = steps[steps.length - 1]!.state === "good";
  const where = isSure && isProven ? "An event was stored, but not all is right" : "It stops";
  if (wrong) return ["bad", `${where} at “${wrong.title}”.`];
  if (waiting) return ["waits", `Nothing is wrong so far. It waits at “${waiting.title}”.`];
  if (!last) return ["unknown", "Nothing wrong is to be seen, and nothing was sent yet."];
  if (!isSure) return ["unknown", `An answer was good, and what it said was not heard (${last.status}).`];
  return ["good", `Working: “${last.event || "an event"}” was stored at ${clock(last.at)} (${said(last)}).`];
};

export const reportOf = (evidence: Evidence): Report => {
  const steps = walk(evidence);
  const [state, headline] = headlineOf(evidence, steps);
  const causes = steps.flatMap((step) => step.causes.map((text) => ({ ...step, text, note: "" })));
  return { state, headline, causes, lists: listsOf(evidence, steps) };
};
