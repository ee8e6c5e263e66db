/** How many events of one name are tracked: an effect that tracks at every render must push no real event out of the queue. */
import { uptime } from "../../shared/uptime.js";
import { report } from "../reporting.js";
import { backoff } from "./back-off.js";
import { countDropped, mostEvents, rows, unaddressed } from "./queue.js";

/** The last places of the queue are for names that are tracked seldom: so many, or a tenth. */
const RESERVE = 100;
/** Of one name as many may be tracked at once as may wait, and then one in this time; none in an outage. */
const TRICKLE_MS = 1_000;
/** So many names are counted. From then on all of them count as one: a page that makes up names must not fill memory and queue. */
const MAX_NAMES = 1_000;
/** The token buckets by name: each as the time at which it will be full again, and how many events were too many. */
const buckets = new Map<unknown, { fullAt: number; over: number }>();
let now = 0;

/** Is this event of its name one too many? Then it is dropped before it takes a number. */
export const isThrottled = (name: string): boolean => {
  // In an outage no new token comes: the number of events that wait must not grow.
  if (!backoff) now = uptime();
  const counted = buckets.size < MAX_NAMES && name;
  const bucket = buckets.get(counted) ?? { fullAt: 0, over: 0 };
  buckets.set(counted, bucket);
  const most = mostEvents();
  const reserve = Math.min(RESERVE, most / 10);
  const isFull = (events: number) => bucket.fullAt >= now + events * TRICKLE_MS;
  if (isFull(most) || (rows.size - unaddressed.size >= most - reserve && isFull(reserve / 10))) {
    bucket.over++;
    countDropped();
    return true;
  }
  if (bucket.over) report("throttled", name, `${bucket.over}`);
  bucket.over = 0;
  bucket.fullAt = Math.max(now, bucket.fullAt) + TRICKLE_MS;
  return false;
};
