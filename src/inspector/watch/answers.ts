/**
 * The answers, newest first. They come from two sources: the browser's own record, which knows no event, and the tracker, which
 * reports to the panel from some moment on. Of a request at that moment, both may report, in either order.
 */

import { TIMEOUT_MS } from "../../browser/delivery/timings.js";
import type { Activity, Answer } from "./activity.js";
import { insideOf } from "./address.js";
import { isOfTracker, withoutQuery } from "./silence.js";

/** More than a panel can show. */
const KEPT = 20;

export type Answers = ReturnType<typeof createAnswers>;

export const createAnswers = () => {
  const list: Answer[] = [];
  /** All that were told of. */
  let count = 0;
  /** Told by the tracker, and perhaps by a record that is yet to come. */
  const unrecorded: Answer[] = [];

  const keep = (answers: Answer[], answer: Answer): void => {
    answers.push(answer);
    answers.sort((one, other) => other.at - one.at);
    answers.length = Math.min(answers.length, KEPT);
  };
  /** Takes out the first answer like this one. @returns whether there was one */
  const take = (from: Answer[], isLike: (answer: Answer) => boolean): boolean => {
    const index = from.findIndex(isLike);
    if (index >= 0) from.splice(index, 1);
    return index >= 0;
  };

  return {
    list,
    count: (): number => count,

    /** The browser has recorded a request that ended before the tracker reported. */
    record: (at: number, status: number): void => {
      if (take(unrecorded, (told) => told.status === status)) return;
      keep(list, { at, status, event: "" });
      count++;
    },

    /** @param mayBeRecorded whether the request may have ended before the tracker reported */
    tell: (answer: Answer, mayBeRecorded: boolean): void => {
      const isRecorded = take(list, ({ event, status }) => mayBeRecorded && !event && status === answer.status);
      if (mayBeRecorded && !isRecorded) keep(unrecorded, answer);
      keep(list, answer);
      if (!isRecorded) count++;
    },
  };
};

/** Not every browser tells status and type. */
type Timing = PerformanceEntry & { responseEnd: number; responseStatus?: number; contentType?: string };

interface Hearers {
  /** Does the tracker itself tell of an answer at this time, with its event? */
  isTold: (at: number) => boolean;
  /** A request was given up. */
  lost: (url: string) => void;
  changed: () => void;
}

/**
 * Watches what the browser itself records of a tracker's requests, also of those before the panel was opened.
 *
 * @returns what ends the watching
 */
export const watchRequests = (
  activity: Activity,
  answers: Answers,
  { isTold, lost, changed }: Hearers,
): (() => void) => {
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as Timing[]) {
      if (!isOfTracker(entry.name)) continue;
      activity.hasRequests = true;
      activity.address = withoutQuery(entry.name);
      const { responseStatus: status, contentType } = entry;
      if (status === 200) activity.isWebPage = contentType === "text/html";
      if (status === 401 || status === 403) activity.isWall = contentType === "text/html";
      // The tracker has given it up: by itself, where no visitor is asked first.
      if (!status && entry.duration > 0.9 * TIMEOUT_MS && !insideOf(entry.name, location.origin)) lost(entry.name);
      if (status !== undefined && !isTold(entry.responseEnd)) answers.record(entry.responseEnd, status);
    }
    activity.answerCount = answers.count();
    changed();
  });
  observer.observe({ type: "resource", buffered: true });
  return () => observer.disconnect();
};
