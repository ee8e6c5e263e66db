/**
 * The answers, newest first. They come from two sources: the browser's own record, which knows no event, and the tracker, which
 * reports to the panel from some moment on. Of a request at that moment, both may report, in either order.
 */

export interface Answer {
  /** Milliseconds since the page began. */
  at: number;
  /** 0: there was none. */
  status: number;
  /** `""` where only the browser's own record tells of the request. */
  event: string;
}

/** More than a panel can show. */
const KEPT = 20;

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
