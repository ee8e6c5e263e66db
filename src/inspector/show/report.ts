/** All that the panel shows, as plain data, and the same as text. */

import { consentOf, isPending } from "../find/consent.js";
import { findingsOf } from "../find/findings.js";
import { optionsOf } from "../find/options.js";
import { nextAttempt } from "../find/sending.js";
import { isGood } from "../find/service.js";
import type { Activity } from "../watch/activity.js";
import type { Snapshot } from "../watch/snapshot.js";
import type { Stored } from "../watch/stored.js";
import { noView, replacedIn } from "./views.js";

/** A line of a list: a text, a note beside it, and what the note means (`"good"`, `"bad"`). */
export type Line = [text: string, note: string, kind?: string];

export interface Report {
  /** Of the kind `"fine"`, `"note"` or `"problem"`. */
  findings: { kind: string; text: string }[];
  facts: [label: string, value: string][];
  lists: { title: string; empty: string; items: Line[] }[];
}

/** Lines of the answers and of the page views. */
const LINES = 8;

const time = (at: number): string => new Date(performance.timeOrigin + at).toLocaleTimeString();

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
const outcomeOf = (status: number, isWebPage: boolean, isReadable: boolean): [note: string, kind: string] => {
  if (status === 0) return ["no answer", "bad"];
  if (!isReadable) return ["sent, the answer cannot be read", ""];
  if (!isGood(status)) return [`${status}`, "bad"];
  return isWebPage ? [`${status}, a web page`, "bad"] : [`stored, ${status}`, "good"];
};

const answersOf = (snapshot: Snapshot, activity: Activity): Line[] => {
  const isReadable = optionsOf(snapshot, activity).contentType !== "text/plain";
  return activity.answers
    .slice(0, LINES)
    .map(({ at, status, event }) => [
      `${time(at)} ${event || "before this panel"}`,
      ...outcomeOf(status, activity.isWebPage, isReadable),
    ]);
};

const ago = (ms: number): string => {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  if (seconds < 60) return `${seconds} s ago`;
  return seconds < 3_600 ? `${Math.round(seconds / 60)} min ago` : `${Math.round(seconds / 3_600)} h ago`;
};

const noContact = (snapshot: Snapshot, stored: Stored, activity: Activity): string => {
  if (isPending(snapshot, stored, activity)) return "not stored while consent is pending";
  return stored.isThere && !activity.isUnstored ? "nobody is identified" : "not stored: it is to be seen nowhere";
};

/** That all is well, with what proves it. */
const working = (snapshot: Snapshot, activity: Activity): string => {
  const last = activity.answers.find(({ status }) => isGood(status));
  if (!last) return "Nothing wrong is to be seen, and nothing was sent yet.";
  return `Working: the last event was stored ${ago(snapshot.now - last.at)} (${last.status}).`;
};

export const reportOf = (snapshot: Snapshot, stored: Stored, activity: Activity): Report => {
  const findings = findingsOf(snapshot, stored, activity);
  const pending = isPending(snapshot, stored, activity);
  const inMemory = pending || activity.isUnstored ? activity.inMemory : 0;
  const where = pending ? "In memory, until the visitor agrees." : "In memory, until the page ends.";
  return {
    findings: findings.length > 0 ? findings : [{ kind: "fine", text: working(snapshot, activity) }],
    facts: [
      ["Contact", stored.contact || noContact(snapshot, stored, activity)],
      ["Account", stored.account || "none"],
      ["Consent", consentOf(snapshot, stored, activity)],
      ["Service", activity.address || "no request yet"],
      ["Next attempt", nextAttempt(snapshot, stored, activity)],
      ["Replaced in page views", replacedIn(snapshot, activity) || "nothing"],
    ],
    lists: [
      {
        title: "Last answers",
        empty: "No answer yet.",
        items: cut(answersOf(snapshot, activity), activity.answerCount),
      },
      {
        title: "Page views since this panel was opened",
        empty: noView(snapshot, activity),
        items: cut(
          activity.views.slice(0, LINES).map(({ at, url }) => [url, time(at)]),
          activity.viewCount,
        ),
      },
      // Last: it may be long.
      {
        title: `Waiting: ${(stored.eventCount + inMemory).toLocaleString("en")}`,
        empty: inMemory > 0 ? where : "No event waits.",
        items: waitingOf(stored),
      },
    ],
  };
};

/**
 * The report as text, for a message to whoever can mend it.
 *
 * @param page address of the page
 */
export const textOf = ({ findings, facts, lists }: Report, name: string, page: string): string =>
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
