/** How much may wait, and how much may be tracked at once. */
import { uptime } from "../../shared/uptime.js";
import { numberOf } from "../config.js";
import { report } from "../reporting.js";
import { pace } from "./pace.js";
import { lists, rows, tally } from "./queue.js";
import { ageOf, type Row } from "./row.js";
import { drop, textOf } from "./stored.js";
import {
  LONGEST_AGE_MS,
  MAX_AGE_MS,
  MAX_BYTES,
  MAX_EVENTS,
  MAX_NAMES,
  MAX_SIZE,
  MAX_UNADDRESSED,
  MAX_UNADDRESSED_AGE_MS,
  SHARE,
  TRICKLE_MS,
} from "./timings.js";

export const mostAge = (): number => Math.min(numberOf("maxAgeMs", MAX_AGE_MS), LONGEST_AGE_MS);
const mostEvents = (): number => numberOf("maxEvents", MAX_EVENTS);
const mostBytes = (): number => numberOf("maxBytes", MAX_BYTES);

/** Drops an event because of a bound, which `detail` names. */
export const evict = (row: Row, detail: string): void => {
  // Perhaps nobody ever identifies here: one report a page is enough.
  if (textOf(row) !== undefined) drop(row, row.isAddressed || !tally.unnamed++ ? "evicted" : undefined, detail);
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
    const isMuch = tally.bytes > mostBytes() || rows.size - lists.unaddressed.size > mostEvents();
    if (!isOld && !isMuch) break;
    evict(row, isOld ? "maxAgeMs" : "maxEvents, maxBytes");
  }
  for (const row of [...lists.unaddressed].filter(
    (row, at) => at >= MAX_UNADDRESSED || ageOf(row) > MAX_UNADDRESSED_AGE_MS,
  ))
    evict(row, "identify");
};

/** The token buckets by name: each as the time at which it will be full again, and how many events were too many. */
const buckets = new Map<unknown, { fullAt: number; over: number }>();
let now = 0;

/**
 * Is this event of its name one too many? Then it is dropped before it takes a number: an effect that tracks at every render
 * must push no real event out of the queue.
 */
export const isThrottled = (name: string): boolean => {
  // In an outage no new token comes, and a bucket is smaller: the number of events that wait must not grow.
  if (!pace.backoff) now = uptime();
  const counted = buckets.size < MAX_NAMES && name;
  const bucket = buckets.get(counted) ?? { fullAt: 0, over: 0 };
  buckets.set(counted, bucket);
  if (bucket.fullAt - now >= mostEvents() * (pace.backoff ? SHARE : 1) * TRICKLE_MS) {
    if (!bucket.over++) report("throttled", name);
    tally.dropped++;
    return true;
  }
  bucket.fullAt = Math.max(now, bucket.fullAt) + TRICKLE_MS;
  return false;
};
