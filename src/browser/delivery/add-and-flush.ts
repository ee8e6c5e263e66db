/** The one door of the delivery: an event comes in, and leaves when the service has it. */
import { pause, uptime } from "../../shared/uptime.js";
import type { FlushResult, TrackEvent } from "../../types.js";
import { config, isOn } from "../config.js";
import { isHidden } from "../page.js";
import { log } from "../reporting.js";
import { choose } from "../state/consent.js";
import { identify, resetIdentity } from "../state/identity.js";
import { consent } from "../state/storage.js";
import { addressAll, readVisitor, renewProof, seal } from "./addressing.js";
import { catchUp, resume } from "./page-life.js";
import { delivered, drop, dropped, isTooLarge, nextKey, rename, renew, rows, trim } from "./queue.js";
import { isBusy, wake } from "./rounds.js";
import { isOwn, isStamped, type Row } from "./row.js";

export { catchUp, onPageEvent, resume } from "./page-life.js";
export { unaddressed } from "./queue.js";
export { isThrottled } from "./throttle.js";

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
