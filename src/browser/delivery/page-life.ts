/** What the delivery does when the page is seen, hidden or left, when it comes back, and when other documents have changed rows. */
import type { Consent } from "../../types.js";
import { isHidden, type PageEvent } from "../page.js";
import { readConsent, restoreRefusal } from "../state/consent.js";
import { consent, filed, isOurs, onRow, remove, storeAll } from "../state/storage.js";
import { readVisitor } from "./addressing.js";
import { BACKOFF, backoff, forgetBackoff, readBackoff, readOffer } from "./back-off.js";
import { forget, HERE, rename, renew, restore, rows } from "./queue.js";
import { inFlight, isGone, setGone } from "./requests.js";
import { hurry, round } from "./rounds.js";
import { EVENT, isOwn } from "./row.js";
import { isUnchanged, look, lookLater, release } from "./tabs.js";
import { accept } from "./verdicts.js";

/** What the visitor allowed when that was last looked at. */
let before: Consent | undefined;

/** Reads what the visitor has chosen, and what other documents have written. */
export const catchUp = (): void => {
  readConsent();
  if (before !== consent) {
    before = consent;
    if (consent === "denied") {
      rows.forEach(forget);
      // What was dropped leaves no gap behind it.
      rename();
    }
    // What has waited for the choice is stored now, for the first time.
    for (const row of rows.values()) if (isOwn(row)) renew(row);
  }
  readVisitor();
  readBackoff();
  readOffer();
};

/** More may be sent now, also of other tabs: a page was loaded, or is seen again. */
export const resume = (): void => {
  look();
  hurry();
};

const leave = (): void => {
  setGone(true);
  round(true);
  // The page may have emptied the storage, and the next page needs these rows.
  if (rows.size) restore();
  // There may be room by now.
  storeAll();
  restoreRefusal();
  release();
};

/** The page is back from the back/forward cache, as a new one: what its rows say holds, of the storage and of its memory. */
const comeBack = (): void => {
  setGone(false);
  if (rows.size) restore();
  rename();
  inFlight.clear();
  rows.forEach(forget);
  catchUp();
  resume();
};

const onEventRow = (key: string, { newValue }: PageEvent): void => {
  const row = rows.get(key);
  if (newValue !== null) lookLater();
  // Where a request is open here, its answer decides.
  if (row?.list) {
    if (newValue === null && !isOwn(row)) {
      // It was gone already when this document said that it is to be sent again.
      if (row.isAgain) remove(key);
      forget(row);
    } else isUnchanged(row);
  }
};

const onStorage = (event: PageEvent): void => {
  const { key } = event;
  // All is emptied, or the same key by key.
  if (rows.size && (!key || key === filed(HERE)))
    restore(!key || (event.oldValue && event.newValue ? false : undefined));
  if (!key || !isOurs(key)) return;
  // What was written holds, also where this document had no room; of an event it is read when that is to be sent.
  onRow(key, key.includes(EVENT) ? null : event.newValue);
  if (key.includes(EVENT)) onEventRow(key, event);
  else {
    const wasDown = !!backoff;
    if (key === filed(BACKOFF)) forgetBackoff();
    catchUp();
    // Another tab has seen the service accept an event.
    if (wasDown && !backoff) accept(Date.now());
  }
  round();
};

/** One of the events of `onPage`; `pageshow` only when the page comes back from the cache. */
export const onPageEvent = (event: PageEvent): void => {
  const { type } = event;
  const isVisible = !isHidden();
  if (type === "storage") onStorage(event);
  else if (isGone) {
    // One that comes back from the back/forward cache may be seen before its `pageshow`.
    if (isVisible) comeBack();
  } else if (type !== "pagehide" && (isVisible || type === "online")) {
    catchUp();
    resume();
  } else {
    if (rows.size) catchUp();
    if (type === "pagehide") leave();
    else round(true);
  }
};
