/** How often one name may be tracked: an effect that tracks at every render must push no real event out of the queue. */
import { report } from "../reporting.js";
import { backoff } from "./backoff.js";
import { mostEvents } from "./bounds.js";
import { tally } from "./queue.js";
import { BURST, MAX_NAMES, TRICKLE_MS } from "./timings.js";

/** The token buckets by name: each as the time at which it will be full again, and how many events were too many. */
const buckets = new Map<string, { fullAt: number; over: number }>();
let now = 0;

/** Is this event of its name one too many? Then it is dropped before it takes a number. */
export const isThrottled = (name: string): boolean => {
  // In an outage no new token comes: the number of events that wait must not grow.
  if (!backoff) now = performance.now();
  if (buckets.size >= MAX_NAMES) buckets.clear();
  const bucket = buckets.get(name) ?? { fullAt: 0, over: 0 };
  buckets.set(name, bucket);
  const lack = bucket.fullAt - now;
  if (lack >= mostEvents() * BURST * TRICKLE_MS) {
    if (!bucket.over++) report("throttled", name);
    tally.dropped++;
    return true;
  }
  bucket.fullAt = Math.max(now, bucket.fullAt) + TRICKLE_MS;
  return false;
};
