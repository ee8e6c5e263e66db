/**
 * An event as one record, and as the text of its row: `<name>:<scope of the token>:event2:<document>:<sequence>:<time>` =
 * `<failures>,<time of the hand-off>,<s, where it is stamped>,<o, where it names no account><body>`. The key names the format: other versions of the script
 * have others.
 */
import { YOUNG_MS } from "./timings.js";

/** In every key of this format, and in no other one. */
export const EVENT = "event2:";

export interface Row {
  /** Never changes, whoever sends the event. */
  key: string;
  /** The document that has tracked it: what the keys of its rows begin with, which is the name of its lock, too. */
  tab: string;
  /** When it was tracked, in epoch milliseconds. */
  time: number;
  /** What is sent: the same bytes at each attempt. */
  body: string;
  /** Bytes of the body in UTF-8. */
  size: number;
  /** Does the body name its contact? */
  isAddressed: boolean;
  /** `s` where it has a stamp, by which the service knows a repeat: a page's own `event_id` is none. */
  stamped: string;
  /** `o` where it has named no account itself: then it has that of the options, until `identify` names another one. */
  account: string;
  /** How often it has failed. */
  failures: number;
  /** When the page was left while its request was open, in epoch milliseconds: the service most likely has it. 0: it was not. */
  handedOffAt: number;

  // What follows is this document's alone.

  /** When this document has tracked it, by a clock that nobody can set. */
  trackedAt?: number;
  /** The hand-off that a later request has shown to be right. */
  arrivedMark?: number | undefined;
  /** Was this document told that another one has removed it, while its request was open here? */
  isRemoved?: boolean;
  /** When it failed last, in epoch milliseconds. */
  failedAt?: number;
  /** Attempts since it is a suspect. */
  tries?: number;
  /** What it waits for: one of the queue's lists. */
  list?: Set<Row>;
}

/** When the event of a key was tracked, in epoch milliseconds: the last part of the key in every format. */
export const timeOf = (key: string): number => Number(key.split(":").pop());

/**
 * Milliseconds since the event was tracked: by a clock that nobody sets, where this document has tracked it. Of other
 * documents' events the key tells, and a clock that is set makes them younger or older.
 */
export const ageOf = ({ time, trackedAt }: Row): number =>
  trackedAt === undefined ? Date.now() - time : performance.now() - trackedAt;

/** Was it tracked by this document, under whichever name? */
export const isOwn = ({ trackedAt }: Row): boolean => trackedAt !== undefined;

/** Does this document send it without a lock? */
export const isYoung = ({ trackedAt = Number.NEGATIVE_INFINITY }: Row): boolean =>
  trackedAt > performance.now() - YOUNG_MS;

/** The body, and what it says of the event. */
export const contentOf = (body: string): Pick<Row, "body" | "size" | "isAddressed"> => ({
  body,
  size: new TextEncoder().encode(body).length,
  // It is the first member then.
  isAddressed: body.startsWith('{"contact_uid"'),
});

/** The text of a row. */
export const writeRow = ({ failures, handedOffAt, stamped, account, body }: Row): string =>
  `${failures},${handedOffAt},${stamped},${account}${body}`;

export const readRow = (key: string, text: string): Row => {
  const start = text.indexOf("{");
  const [failures, handedOffAt, stamped = "", account = ""] = text.slice(0, start).split(",");
  return {
    key,
    tab: key.replace(/:\d+:\d+$/, ""),
    time: timeOf(key),
    failures: Number(failures),
    handedOffAt: Number(handedOffAt),
    stamped,
    account,
    ...contentOf(text.slice(start)),
  };
};
