/**
 * An event as one record, and as the text of its row: `<name>:<scope of the token>:event3:<document>:<sequence>:<time>` =
 * `<failures>,<lease>,<letters><body>`. The key names the format: other versions of the script have others.
 */
import { uptime } from "../../shared/uptime.js";
import type { Params } from "../../types/declared.js";

/** In every key of this format, and in no other one. */
export const EVENT = "event3:";

export interface Row {
  /** Never changes, whoever sends the event. */
  key: string;
  /** What is sent: the same bytes at each attempt. */
  body: string;
  /** Bytes of the body in UTF-8. */
  size: number;
  isAddressed: boolean;
  /**
   * `s` where it has a stamp, by which the service knows a repeat: a page's own `event_id` is none. `o` where it has named no
   * account itself: then it has that of the options, until `identify` names another one.
   */
  letters: string;
  failures: number;
  /**
   * Until when, in epoch milliseconds, others leave the event alone. It is negative where a page has gone out of sight in good
   * order while the request was open: the service most likely has the event.
   */
  lease: number;

  // What follows is this document's alone. Times are those of `uptime`.

  trackedAt?: number;
  /** At most so many events may be in its request, because a larger one has failed. */
  most?: number | undefined;
  /** Is it of another document, and to be put back into a storage that was emptied? */
  isLost?: boolean;
  /** Has this document said in its row that it is to be sent again, although another one's request may be open? */
  isAgain?: boolean;
  /** What it waits for: one of the queue's lists; nothing while a request is open that holds it. */
  list?: Set<Row> | undefined;
}

/** What the number of an event has been added to in its key. */
export const FIRST = 1_000_000;

/** The stamp of the event of a key: all that it says is in the key, its id too, a random UUID that ends with the number. */
export const stampOf = (key: string): Params => {
  const [event_source, number, time] = key.split(":").slice(-3) as [string, string, string];
  return {
    event_id: event_source.slice(0, -number.length) + number,
    occurred_at: Number(time),
    event_source,
    event_seq: Number(number) - FIRST,
  };
};

/** When the event of a key was tracked, in epoch milliseconds: the last part of the key in every format. */
export const timeOf = (key: string): number => Number(key.split(":").pop());

/**
 * Milliseconds since the event was tracked: by a clock that nobody sets, where this document has tracked it. Of other
 * documents' events the key tells, and a clock that is set makes them younger or older.
 */
export const ageOf = ({ key, trackedAt }: Row): number =>
  trackedAt === undefined ? Date.now() - timeOf(key) : uptime() - trackedAt;

export const isStamped = ({ letters }: Row): boolean => letters.includes("s");

export const isOwn = ({ trackedAt }: Row): boolean => trackedAt !== undefined;

/** For so long a document sends what it has tracked without its turn: a healthy service answers sooner. */
const YOUNG_MS = 1_000;

/** Does this document send it out of its turn? What it has not tracked itself is at no time young. */
export const isYoung = ({ trackedAt, failures }: Row): boolean => !failures && uptime() - trackedAt! < YOUNG_MS;

/** The long lease, from the beginning of a request: no request lasts longer. */
export const LONG_LEASE_MS = 20_000;
/** What has failed itself, while others passed, waits by its lease for no longer than this. */
export const LONGEST_WAIT_MS = 300_000;

/** Milliseconds for which others leave it alone. What is longer than any lease was written by a clock that was set since. */
export const leaseLeft = ({ lease, failures }: Row): number => {
  const left = Math.abs(lease) - Date.now();
  return left > (failures ? LONGEST_WAIT_MS : LONG_LEASE_MS) ? 0 : Math.max(0, left);
};

/** The body, and what it says of the event. */
export const contentOf = (body: string): Pick<Row, "body" | "size" | "isAddressed"> => ({
  body,
  size: new TextEncoder().encode(body).length,
  // It is the first member then.
  isAddressed: body.startsWith('{"contact_uid"'),
});

export const writeRow = ({ failures, lease, letters, body }: Row): string => `${failures},${lease},${letters}${body}`;

export const readRow = (key: string, text: string): Row => {
  const start = text.indexOf("{");
  const [failures, lease, letters = ""] = text.slice(0, start).split(",");
  return { key, failures: Number(failures), lease: Number(lease), letters, ...contentOf(text.slice(start)) };
};
