/**
 * When something is sent. A round looks at what is still this tab's, begins what may be sent, and sets one timer for the next
 * round. Where nothing waits it sets none, and nothing touches the storage.
 */
import { attempt } from "../../shared/attempt.js";
import { url } from "../config.js";
import { isHidden } from "../page.js";
import { consent, followConsent } from "../state/consent.js";
import { restoreIdentity } from "../state/identity.js";
import { followRow, getStored, set } from "../state/storage.js";
import { address, followVisitor } from "./addressing.js";
import { known, state, writeState } from "./backoff.js";
import { inFlight, isGone, setGone } from "./in-flight.js";
import { isAnyReady, rows, trim } from "./queue.js";
import { judgeMarks, noteSuccess } from "./responses.js";
import { beginRequests, handOff } from "./sender.js";
import * as tabs from "./tabs.js";

/** A frame that never comes, as of a covered window, delays nothing by more than this, in milliseconds. */
const FRAME_MS = 100;

let timer: ReturnType<typeof setTimeout> | undefined;
/** Does a round come after the next frame? */
let isComing = false;
/** Is there a reason not to wait for the back-off? It holds until a request has begun. */
let mayProbeEarly = true;
/** Does anything wait that could be sent once the service is up? */
let waits = false;

const arm = (delay: number): void => {
  clearTimeout(timer);
  // Whole milliseconds: a round that comes too early finds nothing to do.
  timer = setTimeout(round, Math.ceil(Math.max(0, delay)));
};

/** Follows what other tabs have written, and writes again what the page has emptied out of the storage. */
const follow = (): void => {
  followConsent();
  if (consent === "denied") rows.clear();
  tabs.yieldToAdopter(waits);
  const isEmptied = tabs.lacksLease();
  if (isGone || isEmptied)
    for (const [key, text] of rows) if (getStored(key) === undefined && !tabs.letGo(key)) set(key, text);
  /** A lease that was there is gone. */
  const isRestored = isEmptied && tabs.isHeld;
  if (isRestored) {
    restoreIdentity();
    tabs.renew(true);
  }
  followVisitor();
  const before = known;
  if (before && !state()) {
    if (isRestored) writeState(before);
    // Another tab has cleared it.
    else noteSuccess();
  }
};

/** @param judgeOutcome of a request that has ended; called when the storage is again as it was before the page has emptied it */
const step = (judgeOutcome?: () => void): void => {
  clearTimeout(timer);
  timer = undefined;
  isComing = false;
  if (!isGone || !judgeOutcome) follow();
  judgeOutcome?.();
  if (isGone && judgeOutcome) return;
  let wait = Number.POSITIVE_INFINITY;
  const isOpen = consent === "granted";
  if (isOpen && !isGone && tabs.lookAt <= Date.now()) {
    tabs.adopt();
    address();
  }
  judgeMarks();
  const isOut = isGone || isHidden();
  trim();
  waits = isOpen && !!url && isAnyReady();
  // Without a lease, a round looks at each event: only a few, and only where they go at once, go without.
  if (rows.size) tabs.renew(!tabs.isHeld && (state() || rows.size > 8 || !waits));
  if (waits) {
    const open = inFlight.size;
    wait = beginRequests(isOut, mayProbeEarly, (judgeOutcome) => attempt(() => step(judgeOutcome)));
    mayProbeEarly &&= inFlight.size === open;
  }
  if (isOut) handOff();
  if (!rows.size && !tabs.isClaiming()) tabs.finish();
  else if (isGone) tabs.free();
  wait = Math.min(wait, tabs.lookAt - Date.now());
  if (isOpen && !isGone && wait < Number.POSITIVE_INFINITY) arm(wait);
};

/** Something may let events go. */
export const round = (early?: boolean): void => {
  mayProbeEarly ||= !!early;
  attempt(step);
};

/** Something is about to be added, or to become ready. */
export const prepare = (): void => {
  if (waits) return;
  // What waits for its contact sets no timer, so that another tab may take this one for dead.
  if (tabs.isSilent()) {
    follow();
    tabs.renew(true);
  }
  tabs.giveSign();
};

/** An event was added: it is sent after the next frame, which a click waits for, or, out of sight, when the script has ended. */
export const wake = (): void => {
  waits = true;
  if (isComing) return;
  isComing = true;
  arm(FRAME_MS - 1);
  // Timers of a page that is out of sight come late, or never.
  if (isHidden() || isGone) queueMicrotask(round);
  else requestAnimationFrame(() => attempt(() => isComing && arm(0)));
};

/** The page is left. */
export const leave = (): void => {
  setGone(true);
  round();
};

/** The page is back from the back/forward cache. Another tab may have adopted what it had queued. */
export const comeBack = (): void => {
  setGone(false);
  tabs.restart();
  round(true);
};

/** Looks for events of dead tabs, and makes one attempt even in an outage. */
export const hurry = (): void => {
  tabs.lookWithin(0);
  round(true);
};

/** Another tab has changed a row; one that it has removed has no text. */
export const followTab = (kind: string, text: string | null): void => {
  const isOfTab = /event|tab/.test(kind);
  if (isGone || (isOfTab && !text)) return;
  if (kind === "consent" || kind === "identity") followRow(kind, text);
  if (isOfTab) tabs.lookWithin(text === "0" ? 0 : tabs.LEASE_MS);
  if (!isOfTab || text === "0") round();
  // The end of the other tab's lease is soon enough.
  else timer ??= setTimeout(round, tabs.LEASE_MS + 1);
};

/** Is anything under way that may let more go? */
export const isBusy = (): boolean => inFlight.size > 0 || tabs.isClaiming();
