/** The lists below the steps: answers, page views, and what waits. */
import { type Evidence, isGood, isPage } from "../find/evidence.js";
import type { Stored } from "../watch/stored.js";
import { nextAttempt } from "./next-attempt.js";
import { replacedIn } from "./views.js";

/** A line of a list: a text, a note beside it, and what the note means (`"good"`, `"bad"`). */
export type Line = [text: string, note: string, kind?: string];

/** Lines of the answers and of the page views. */
const LINES = 8;

const clock = (epoch: number): string => new Date(epoch).toLocaleTimeString();
const time = (at: number): string => clock(performance.timeOrigin + at);

/** A list that was cut off says how much is not shown. */
const cut = (lines: Line[], count: number): Line[] => {
  const more = count - lines.length;
  return more > 0 ? [...lines, [`and ${more.toLocaleString("en")} more`, ""]] : lines;
};

const waitingOf = ({ events, eventCount }: Stored): Line[] =>
  cut(
    events.map(({ event, contact, failures, isUndecided }): Line => {
      const notes = [
        contact ? `of ${contact}` : "of nobody yet",
        failures > 0 && `failed ${failures} ×`,
        isUndecided && "most likely stored, as a page was left",
      ];
      return [event, notes.filter(Boolean).join(", ")];
    }),
    eventCount,
  );

/** What became of an event by its answer, and whether that is good. */
const outcomeOf = (status: number, isWebPage: boolean, isReadable = true): [note: string, kind: string] => {
  if (status === 0) return ["no answer", "bad"];
  if (!isReadable) return ["sent, the answer cannot be read", ""];
  if (!isGood(status)) return [`${status}`, "bad"];
  return isWebPage ? [`${status}, a web page`, "bad"] : [`stored, ${status}`, "good"];
};

const answersOf = (evidence: Evidence): Line[] => {
  const { exchanges, before } = evidence.activity;
  const isReadable = evidence.options.contentType !== "text/plain";
  const now = exchanges
    .filter(({ status }) => status >= 0)
    .map(
      ({ at, status, event, answerType }): Line => [
        `${time(at)} ${event || "before this panel"}`,
        ...outcomeOf(status, isPage(answerType), isReadable),
      ],
    );
  const earlier = before
    .filter(({ at }) => at < performance.timeOrigin)
    .map(
      ({ at, status, event, words }): Line => [
        `${clock(at)} ${event}, before the reload${words ? `: ${words}` : ""}`,
        ...outcomeOf(status, false),
      ],
    );
  return [...now, ...earlier].slice(0, LINES);
};

export interface List {
  title: string;
  /** In place of items, where there are none. */
  empty: string;
  /** What is to be known of all of them. */
  note: string;
  items: Line[];
}

export const listsOf = (evidence: Evidence): List[] => {
  const { stored, activity } = evidence;
  const replaced = replacedIn(evidence);
  const views = activity.views.slice(0, LINES).map(({ at, url }): Line => [url, time(at)]);
  const where = activity.inMemory > 0 ? "In memory, until the visitor agrees or the page ends." : "No event waits.";
  const waiting = (stored.eventCount + activity.inMemory).toLocaleString("en");
  return [
    {
      title: "Last answers",
      empty: "No answer yet.",
      note: "",
      items: cut(answersOf(evidence), activity.exchangeCount),
    },
    {
      title: "Page views since this panel was opened",
      empty: "None yet.",
      note: replaced && `Replaced in them: ${replaced}.`,
      items: cut(views, activity.viewCount),
    },
    // Last: it may be long.
    {
      title: `Waiting: ${waiting}`,
      empty: where,
      note: `Next attempt: ${nextAttempt(evidence)}.`,
      items: waitingOf(stored),
    },
  ];
};
