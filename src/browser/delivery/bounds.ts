/** How much may wait: events, bytes and age. The oldest event is evicted first. What a later look has found comes after those. */
import { numberOf } from "../config.js";
import { get } from "../state/storage.js";
import { drop, forget, lists, rows, tally } from "./queue.js";
import { ageOf, isOwn, type Row } from "./row.js";
import {
  LONGEST_AGE_MS,
  MAX_AGE_MS,
  MAX_BYTES,
  MAX_EVENTS,
  MAX_SIZE,
  MAX_UNADDRESSED,
  MAX_UNADDRESSED_AGE_MS,
} from "./timings.js";

export const mostAge = (): number => Math.min(numberOf("maxAgeMs", MAX_AGE_MS), LONGEST_AGE_MS);
export const mostEvents = (): number => numberOf("maxEvents", MAX_EVENTS);
const mostBytes = (): number => numberOf("maxBytes", MAX_BYTES);

/** Drops an event because of a bound, which `detail` names. */
export const evict = (row: Row, detail: string): void => {
  // Another tab has delivered or dropped it.
  if (!isOwn(row) && get(row.key) === undefined) forget(row);
  // Perhaps nobody ever identifies here: one report a page is enough.
  else drop(row, row.isAddressed || !tally.unnamed++ ? "evicted" : undefined, detail);
};

/** Is this one event over the bytes that all may have? Then it is dropped itself, and evicts no other one. */
export const isTooLarge = ({ size }: Row): boolean => size > Math.min(mostBytes(), MAX_SIZE);

/** Evicts what is too old or too much. Events without a contact have bounds of their own, because they may never be sent. */
export const trim = (): void => {
  for (const row of rows.values()) {
    if (!row.isAddressed) continue;
    const isOld = ageOf(row) > mostAge();
    const isMuch = tally.bytes > mostBytes() || rows.size - lists.unaddressed.size > mostEvents();
    if (!isOld && !isMuch) break;
    evict(row, isOld ? "maxAgeMs" : "maxEvents, maxBytes");
  }
  for (const row of lists.unaddressed) {
    if (lists.unaddressed.size <= MAX_UNADDRESSED && ageOf(row) <= MAX_UNADDRESSED_AGE_MS) break;
    evict(row, "identify");
  }
};
