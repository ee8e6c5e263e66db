/** All that the panel shows, as plain data: what was found, and beside it the answers and what waits. */
import { type Evidence, isGood, isPage, seconds } from "../find/evidence.js";
import { clock, type Findings, type Line, walk } from "../find/steps.js";

export interface List {
  title: string;
  /** What is to be known of all of them, or in place of them. */
  note: string;
  lines: Line[];
}

export type Report = Omit<Findings, "steps"> & { lists: List[] };

const answersOf = ({ activity, isBlind }: Evidence): Line[] =>
  activity.exchanges
    .filter(({ status }) => status >= 0)
    .map(({ at, status, words, sent, answerType }) => {
      const [{ visitUrl = "" } = {}] = sent;
      const isStored = isGood(status) && !isPage(answerType);
      return {
        state: isStored && isBlind ? "unknown" : isStored ? "good" : "bad",
        title: sent.map(({ event }) => event).join(", ") || "before this panel",
        text: `${visitUrl} ${clock(at)}`.trim(),
        note: status === 0 ? "no answer" : isBlind ? "the answer cannot be read" : `${status} ${words}`.trim(),
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
const nextAttempt = ({ stored: { pauseMs } }: Evidence): string =>
  pauseMs > 0 ? `Next attempt: in ${seconds(pauseMs)}.` : "";

const listsOf = (evidence: Evidence, steps: Line[]): List[] => {
  const { eventCount, events } = evidence.stored;
  const answers = answersOf(evidence);
  return [
    { title: "Steps", note: "", lines: steps },
    {
      title: "Last answers",
      note: answers.length > 0 ? "" : "None yet.",
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

export const reportOf = (evidence: Evidence): Report => {
  const { steps, ...found } = walk(evidence);
  return { ...found, lists: listsOf(evidence, steps) };
};
