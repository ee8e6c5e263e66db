/** How much may wait. */
import { numberOf } from "../../config.js";
import type { DetailOf } from "../../reporting.js";
import {
  LONGEST_AGE_MS,
  MAX_AGE_MS,
  MAX_BYTES,
  MAX_EVENTS,
  MAX_SIZE,
  MAX_UNADDRESSED,
  MAX_UNADDRESSED_AGE_MS,
} from "../timings.js";
import { bytes, rows, unaddressed } from "./queue.js";
import { ageOf, type Row } from "./row.js";
import { drop, textOf } from "./stored.js";

const mostAge = (): number => Math.min(numberOf("maxAgeMs", MAX_AGE_MS), LONGEST_AGE_MS);
export const mostEvents = (): number => numberOf("maxEvents", MAX_EVENTS);
const mostBytes = (): number => numberOf("maxBytes", MAX_BYTES);

/** Events that were evicted without a contact. */
let unnamed = 0;

/** Drops an event because of a bound, which `detail` names. */
export const evict = (row: Row, detail: DetailOf<"evicted">): void => {
  // Perhaps nobody ever identifies here: one report a page is enough.
  if (textOf(row) !== undefined) drop(row, row.isAddressed || !unnamed++ ? "evicted" : undefined, detail);
};

/** Is this one event over the bytes that all may have? Then it is dropped itself, and evicts no other one. */
export const isTooLarge = ({ size }: Row): boolean => size > Math.min(mostBytes(), MAX_SIZE);

/**
 * Evicts what is too old or too much, the oldest event first; what a later look has found comes after those. Events without a
 * contact have bounds of their own, because they may never be sent.
 */
export const trim = (): void => {
  for (const row of rows.values()) {
    if (!row.isAddressed) continue;
    const isOld = ageOf(row) > mostAge();
    const isMuch = bytes > mostBytes() || rows.size - unaddressed.size > mostEvents();
    if (!isOld && !isMuch) break;
    evict(row, isOld ? "maxAgeMs" : "maxEvents, maxBytes");
  }
  for (const row of [...unaddressed].filter((row, at) => at >= MAX_UNADDRESSED || ageOf(row) > MAX_UNADDRESSED_AGE_MS))
    evict(row, "identify");
};
