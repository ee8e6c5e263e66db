import { randomBytes } from "node:crypto";
import { v7 } from "uuid";

/**
 * Ids of events are UUIDs of version 7 (RFC 9562 §5.7): they sort by time, and no counter that all processes share is
 * needed. The last ten of their digits name the writer that gave them out (RFC 9562 §6.4), those between the time and
 * the writer count up within a millisecond, so ids that one process gives out rise.
 */
const WRITER_DIGITS = 10;

/** A new name for a writer, that no other has. */
export const newWriter = (): string => randomBytes(WRITER_DIGITS / 2).toString("hex");

/** The writer that gave out an id. */
export const writerOf = (id: string): string => id.slice(-WRITER_DIGITS);

/** The id of that writer at the same time as `id`. */
export const atWriter = (id: string, writer: string): string => id.slice(0, -WRITER_DIGITS) + writer;

/** The lowest id of a time. @param milliseconds since 1970 */
export const idAt = (milliseconds: number): string => {
  const hex = Math.max(0, Math.floor(milliseconds)).toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
};

/** Milliseconds since 1970 in an id. */
export const timeOf = (id: string): number => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);

/** The id of an event that was stored when events were still numbered. */
export const idOfNumber = (milliseconds: number, number: number): string =>
  v7({ msecs: milliseconds, seq: number % 2 ** 32, random: new Uint8Array(16) });

let time = 0;
let count = 0;

/** Ids for a batch of one writer, each higher than all that this process has given out. */
export const newIds = (writer: string, amount: number): string[] => {
  const random = new Uint8Array(16);
  random.set(Buffer.from(writer, "hex"), random.length - WRITER_DIGITS / 2);
  // A clock that is set back stops here until it is ahead again.
  const now = Date.now();
  if (now > time) [time, count] = [now, 0];
  return Array.from({ length: amount }, () => v7({ msecs: time, seq: count++, random }));
};
