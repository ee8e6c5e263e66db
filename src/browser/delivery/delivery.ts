/** The one door of the delivery: an event comes in, and leaves when the service has it. */
import { pause, uptime } from "../../shared/time.js";
import type { FlushResult, TrackEvent } from "../../types.js";
import { config, isOn } from "../config.js";
import { isHidden } from "../page.js";
import { log, report } from "../reporting.js";
import { choose } from "../state/consent.js";
import { identify, resetIdentity } from "../state/identity.js";
import { consent } from "../state/storage.js";
import { addressAll, readVisitor, renewProof, seal } from "./addressing.js";
import { backoff } from "./pace.js";
import { catchUp, resume } from "./page-life.js";
import {
  countDropped,
  delivered,
  drop,
  dropped,
  isTooLarge,
  mostEvents,
  nextKey,
  rename,
  renew,
  rows,
  trim,
  unaddressed,
} from "./queue.js";
import { isBusy, wake } from "./rounds.js";
import { isOwn, isStamped, type Row } from "./row.js";

export { catchUp, onPageEvent, resume } from "./page-life.js";
export { unaddressed } from "./queue.js";

/** The last places of the queue are for names that are tracked seldom: so many, or a tenth. */
const RESERVE = 100;
/** Of one name as many may be tracked at once as may wait, and then one in this time; none in an outage. */
const TRICKLE_MS = 1_000;
/** So many names are counted. From then on all of them count as one: a page that makes up names must not fill memory and queue. */
const MAX_NAMES = 1_000;
/** The token buckets by name: each as the time at which it will be full again, and how many events were too many. */
const buckets = new Map<unknown, { fullAt: number; over: number }>();
let now = 0;

/**
 * Is this event of its name one too many? Then it is dropped before it takes a number: an effect that tracks at every render
 * must push no real event out of the queue.
 */
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

/**
 * Makes an event durable, and has it sent.
 *
 * @param hasAccount whether it has named its account itself
 */
export const add = (event: TrackEvent, hasAccount: boolean): void => {
  const isStamping = isOn(config.stamp ?? true);
  const letters = (isStamping ? "s" : "") + (hasAccount ? "" : "o");
  const row = { key: nextKey(), letters, failures: 0 } as Row;
  Object.assign(row, seal(row, event));
  // A number that no stamp tells would be missed.
  if (isStamping && !isStamped(row)) rename();
  if (isTooLarge(row)) {
    drop(row, "evicted", "maxBytes");
    return;
  }
  renew(row);
  log(consent === "granted" ? "queued" : consent!, row.body);
  // At each event, also within one task: the bounds keep room in the storage for the page's own rows.
  trim();
  wake();
};

export const identified = (...who: [contact: string, account: string, proof: string]): void => {
  readVisitor();
  renewProof(...who);
  identify(...who);
  addressAll();
  // At the start of a page nothing waits: it is asked for no frame.
  if (rows.size) wake();
};

/** Somebody logs out: what was never addressed goes. Events of other tabs go when they are taken over. */
export const reset = (): void => {
  resetIdentity();
  rename();
  addressAll();
};

/** The visitor chooses. */
export const chosen = (choice: "granted" | "denied"): void => {
  choose(choice);
  catchUp();
  resume();
};

/** How often `flush` looks whether anything is still under way. */
const FLUSH_LOOK_MS = 50;

/**
 * Sends what can be sent now, and tells what became of it, after `timeoutMs` milliseconds at the latest; on a hidden page at
 * once, because its timers come up to a minute late.
 */
export const flush = async (timeoutMs: number): Promise<FlushResult> => {
  const before = [delivered, dropped] as const;
  try {
    const end = uptime() + timeoutMs;
    resume();
    while (!isHidden() && isBusy(end) && uptime() < end) await pause(FLUSH_LOOK_MS);
  } catch {
    // The page has replaced its clock by one that throws: nobody can wait.
  }
  const queued = [...rows.values()].filter(isOwn).length;
  return { delivered: delivered - before[0], queued, dropped: dropped - before[1] };
};
