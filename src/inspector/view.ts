/** What the panel shows, as plain data, and the same as text. */

import type { Activity } from "./activity.js";
import { isGood } from "./answer.js";
import { consentOf } from "./consent.js";
import { nextAttempt } from "./delivery.js";
import { findingsOf } from "./findings.js";
import type { Snapshot } from "./snapshot.js";
import type { Stored } from "./stored.js";

/** A line of a list: a text, a note beside it, and what the note means (`"good"`, `"bad"`). */
export type Line = [text: string, note: string, kind?: string];

export interface View {
  findings: { kind: string; text: string }[];
  facts: [label: string, value: string][];
  lists: { title: string; empty: string; items: Line[] }[];
}

/** Lines of the answers and of the page views. */
const LINES = 8;

const time = (at: number): string => new Date(performance.timeOrigin + at).toLocaleTimeString();

const waitingOf = ({ events, eventCount }: Stored): Line[] => {
  const lines = events.map(({ event, contact }): Line => [event, contact ? `of ${contact}` : "of nobody yet"]);
  const more = eventCount - events.length;
  return more > 0 ? [...lines, [`and ${more.toLocaleString("en")} more`, ""]] : lines;
};

const answersOf = ({ answers, isWebPage }: Activity): Line[] =>
  answers.slice(0, LINES).map(({ at, status, event }) => {
    const isStored = isGood(status) && !isWebPage;
    const note = status > 0 ? `${isStored ? "stored, " : ""}${status}` : "no answer";
    return [
      `${time(at)} ${event || "before this panel"}`,
      isGood(status) && isWebPage ? `${status}, a web page` : note,
      isStored ? "good" : "bad",
    ];
  });

export const viewOf = (snapshot: Snapshot, stored: Stored, activity: Activity): View => {
  const findings = findingsOf(snapshot, stored, activity);
  return {
    findings: findings.length > 0 ? findings : [{ kind: "fine", text: "Nothing wrong is to be seen." }],
    facts: [
      ["Contact", stored.contact || "nobody is identified"],
      ["Account", stored.account || "none"],
      ["Consent", consentOf(snapshot, stored, activity)],
      ["Service", activity.address || "no request yet"],
      ["Next attempt", nextAttempt(snapshot, stored, activity)],
    ],
    lists: [
      { title: "Last answers", empty: "No answer yet.", items: answersOf(activity) },
      {
        title: "Page views since this panel was opened",
        empty: "None yet.",
        items: activity.views.slice(0, LINES).map(({ at, url }) => [url, time(at)]),
      },
      // Last: it may be long.
      {
        title: `Waiting: ${stored.eventCount.toLocaleString("en")}`,
        empty: "No event waits.",
        items: waitingOf(stored),
      },
    ],
  };
};

/**
 * The view as text, for a message to whoever can mend it.
 *
 * @param page address of the page
 */
export const textOf = ({ findings, facts, lists }: View, name: string, page: string): string =>
  [
    `${name} on ${page}, ${new Date().toISOString()}`,
    "",
    ...findings.map(({ kind, text }) => `[${kind}] ${text}`),
    "",
    ...facts.map(([label, value]) => `${label}: ${value}`),
    ...lists.flatMap(({ title, empty, items }) => [
      "",
      title,
      ...(items.length > 0
        ? items.map(([text, note]) => (note ? `- ${text} (${note})` : `- ${text}`))
        : [`- ${empty}`]),
    ]),
    "",
  ].join("\n");
