/** The one door of the delivery: an event comes in, and leaves when the service has it. */
import { pause } from "../../shared/pause.js";
import { uptime } from "../../shared/uptime.js";
import type { FlushResult } from "../../types.js";
import { isHidden } from "../page.js";
import { log } from "../reporting.js";
import { choose } from "../state/consent.js";
import { identify, resetIdentity } from "../state/identity.js";
import { consent } from "../state/storage.js";
import { addressAll, readVisitor, renewProof, type Seal, sealBy } from "./addressing.js";
import { catchUp, resume } from "./page-life.js";
import { isTooLarge, trim } from "./queue/bounds.js";
import { rename, rows } from "./queue/queue.js";
import { isOwn, readRow } from "./queue/row.js";
import { delivered, drop, dropped, renew } from "./queue/stored.js";
import { isBusy, wake } from "./rounds.js";
import { FLUSH_LOOK_MS } from "./timings.js";

export { catchUp, onPageEvent, resume } from "./page-life.js";
export { nextKey, rename, unaddressed } from "./queue/queue.js";
export { stampOf } from "./queue/row.js";
export { isThrottled } from "./throttle.js";

/** Before the first call is carried out. @param seal as of `sealBy` */
export const begin = (seal: Seal): void => {
  sealBy(seal);
  catchUp();
};

/** Makes the body of an event durable, and has it sent. @param letters as of `Row` */
export const add = (key: string, body: string, letters: string): void => {
  const row = readRow(key, `0,0,${letters}${body}`);
  if (isTooLarge(row)) {
    drop(row, "evicted", "maxBytes");
    return;
  }
  renew(row);
  log(consent === "granted" ? "queued" : consent!, body);
  // At each event, also within one task: the bounds keep room in the storage for the page's own rows.
  trim();
  wake();
};

export const identified = (...who: [contact: string, account: string, proof: string]): void => {
  readVisitor();
  renewProof(...who);
  identify(...who);
  addressAll();
  wake();
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
