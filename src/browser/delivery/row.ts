/**
 * An event as one record, and as the text of its row: `event2:<tab>:<sequence>:<time>` =
 * `<failures>,<time of the hand-off>,<reset id><body>`. The key names the format: an older version of the script knows others.
 */

import { YOUNG_MS } from "./timings.js";

/** The start of every key of this format. */
export const EVENT = "event2:";

export interface Row {
  /** Never changes, whoever sends the event. */
  key: string;
  /** The document that has tracked it. */
  tab: string;
  /** When it was tracked, in epoch milliseconds. */
  time: number;
  /** What is sent: the same bytes at each attempt. */
  body: string;
  /** Bytes of the body in UTF-8. */
  size: number;
  /** How often it has failed. */
  failures: number;
  /** When the page was left while its request was open, in epoch milliseconds: the service most likely has it. 0: it was not. */
  handedOffAt: number;
  /** The reset id under which it was tracked. */
  resetId: string;
  /** When this document has tracked it, by a clock that nobody sets. */
  trackedAt: number;
  /** Was this document told that another one has removed it, while its request was open here? */
  isRemoved?: boolean;
  /** Has this document sent it? */
  isBegun?: boolean;
  /** When it failed here last, by a clock that nobody sets, and whether the service refused it. */
  failedAt?: number;
  wasRefused?: boolean;
  /** Attempts since it is a suspect, and when the next one is due, by a clock that nobody sets. */
  tries?: number;
  dueAt?: number;
  /** What it waits for: one of the queue's lists. */
  list?: Set<Row>;
}

/** Does the body name its contact? It is the first member then. */
export const isAddressed = ({ body }: Row): boolean => body.startsWith('{"contact_uid"');

/** Milliseconds since the event was tracked; negative where the clock was set back. */
export const ageOf = ({ time }: Row): number => Date.now() - time;

/** Was it tracked by this document, under whichever name? */
export const isOwn = ({ trackedAt }: Row): boolean => trackedAt > Number.NEGATIVE_INFINITY;

/** Does this document send it without a lock? */
export const isYoung = ({ trackedAt }: Row): boolean => performance.now() - trackedAt < YOUNG_MS;

/** Bytes in UTF-8. */
export const bytesOf = (body: string): number => new TextEncoder().encode(body).length;

export const timeOf = (key: string): number => Number(key.split(":").pop());

/** The text of a row. */
export const writeRow = ({ failures, handedOffAt, resetId, body }: Row): string =>
  `${failures},${handedOffAt},${resetId}${body}`;

export const readRow = (key: string, text: string): Row => {
  const start = text.indexOf("{");
  const [failures, handedOffAt, resetId = ""] = text.slice(0, start).split(",");
  const body = text.slice(start);
  return {
    key,
    tab: key.split(":")[1]!,
    time: timeOf(key),
    body,
    size: bytesOf(body),
    failures: Number(failures),
    handedOffAt: Number(handedOffAt),
    resetId,
    trackedAt: Number.NEGATIVE_INFINITY,
  };
};
