/** What is listed: the steps, the answers, and what waits. */
import { type Evidence, isGood, isPage, type State } from "../find/evidence.js";
import type { Step } from "../find/steps.js";
import { replacedIn } from "./views.js";

/** A line of a list. */
export interface Line {
  state: State;
  title: string;
  text: string;
  /** Word for word. */
  note: string;
}

export interface List {
  title: string;
  /** What is to be known of all of them, or in place of them. */
  note: string;
  lines: Line[];
}

/** Answers that are shown. */
const SHOWN = 8;

export const clock = (epoch: number): string => new Date(epoch).toLocaleTimeString();

const answersOf = ({ activity, isBlind }: Evidence): Line[] =>
  [...activity.exchanges.filter(({ status }) => status >= 0), ...activity.answers]
    .slice(0, SHOWN)
    .map(({ at, status, event, visitUrl, answerType, words }) => {
      const isStored = isGood(status) && !isPage(answerType);
      return {
        state: isStored && isBlind ? "unknown" : isStored ? "good" : "bad",
        title: event || "before this panel",
        text: `${visitUrl} ${clock(at)}${at < performance.timeOrigin ? ", before the reload" : ""}`.trim(),
        note: status === 0 ? "no answer" : isBlind ? "the answer cannot be read" : `${status} ${words}`.trim(),
      };
    });

const waitingOf = ({ stored }: Evidence): Line[] =>
  stored.events.map(({ event, contact, visitUrl, failures, isUndecided }) => ({
    state: "waits",
    title: event,
    text: [
      contact ? `of ${contact}` : "of nobody yet",
      failures > 0 && `failed ${failures} ×`,
      isUndecided && "most likely stored, as a page was left",
    ]
      .filter(Boolean)
      .join(", "),
    note: visitUrl,
  }));

/** When the next attempt comes, where there is a pause. */
const nextAttempt = ({ stored: { pauseMs }, activity: { exchanges, answers } }: Evidence): string => {
  const heard = exchanges.find(({ isHeard }) => isHeard) ?? answers[0];
  const isAsked = heard && heard.at + Number(heard.retryAfter) * 1_000 > Date.now();
  return pauseMs > 0
    ? `Next attempt: in ${Math.ceil(pauseMs / 1_000)} s${isAsked ? ", as the service asked" : ""}.`
    : "";
};

export const listsOf = (evidence: Evidence, steps: Step[]): List[] => {
  const { eventCount, events } = evidence.stored;
  const replaced = replacedIn(evidence);
  const answers = answersOf(evidence);
  const more = eventCount - events.length;
  return [
    {
      title: "Steps",
      note: "",
      lines: steps.map(({ state, name, expected, seen }) => ({
        ...{ state, title: name, text: expected, note: state === "unknown" ? "" : seen },
      })),
    },
    {
      title: "Last answers",
      note: [answers.length === 0 && "None yet.", replaced && `Replaced in page views: ${replaced}.`]
        .filter(Boolean)
        .join(" "),
      lines: answers,
    },
    // Last: it may be long.
    {
      title: `Waiting: ${eventCount.toLocaleString("en")}`,
      note: [nextAttempt(evidence), more > 0 && `The first ${events.length} are:`].filter(Boolean).join(" "),
      lines: waitingOf(evidence),
    },
  ];
};
