/** What the delivery does when the page is seen, hidden or left, when it comes back, and when other documents have changed rows. */
import { isHidden, type PageEvent } from "../page.js";
import { followConsent, restoreRefusal } from "../state/consent.js";
import { storedIdentity } from "../state/identity.js";
import { consent, filed, get, getStored, isInMemory, isOurs, onRow } from "../state/storage.js";
import { readVisitor } from "./addressing.js";
import { BACKOFF, backoff, readBackoff } from "./backoff.js";
import { accept } from "./health.js";
import { inFlight, isGone, setGone } from "./in-flight.js";
import { load, look, lookLater } from "./look.js";
import { releaseAll } from "./ownership.js";
import { enlist, forget, put, rename, rows } from "./queue.js";
import { hurry, round } from "./rounds.js";
import { EVENT, isOwn, readRow } from "./row.js";

/** Reads what other documents have written. @param isTold whether one of them may have ended the back-off */
export const catchUp = (isTold?: boolean): void => {
  followConsent();
  if (consent === "denied") rows.forEach(forget);
  readVisitor();
  readBackoff(isTold);
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
  for (const row of rows.values()) if (isOwn(row) && getStored(row.key) === undefined) put(row);
  restoreRefusal();
  releaseAll();
};

/** The page is back from the back/forward cache. Another tab may send what it had queued, but for what only its memory holds. */
const comeBack = (): void => {
  setGone(false);
  rename();
  // Where the identity is gone, too, the page has emptied the storage (a log-out).
  const isEmptied = storedIdentity() === undefined;
  // What was in flight is judged by its mark, if it has one, or sent again: Firefox cuts its request off, WebKit never ends it.
  // Without a row, another tab has delivered it.
  for (const row of rows.values())
    if (isInMemory(row.key) || (inFlight.has(row) && (isEmptied || get(row.key) !== undefined))) enlist(row);
    else forget(row);
  inFlight.clear();
  catchUp();
  resume();
};

/** Another document has changed the row of an event; one that it has removed has no text. */
const onEventRow = (key: string, text: string | null): void => {
  const row = rows.get(key);
  if (text !== null) {
    // A mark is judged by the requests that begin now.
    if (!row && readRow(key, text).handedOffAt) load(key);
    else lookLater();
  }
  // It has delivered or dropped the event. Where a request is open here, its answer decides; what became of a mark says
  // nothing of an event whose request this document still hears of.
  else if (row && inFlight.has(row)) row.isRemoved = !row.handedOffAt;
  else if (row) forget(row);
};

const onStorage = ({ key, newValue }: PageEvent): void => {
  // Where all is emptied, this tab's own events hold.
  if (!key || !isOurs(key)) return;
  if (key.includes(EVENT)) onEventRow(key, newValue);
  else {
    const wasDown = !!backoff;
    onRow(key, newValue);
    catchUp(key === filed(BACKOFF));
    // Another tab has seen the service accept an event.
    if (wasDown && !backoff) accept(Date.now());
  }
  round();
};

/** What happens to the page: one of the events of `onPage`, but `pageshow` only when it comes back from the cache. */
export const onPageEvent = (event: PageEvent): void => {
  const { type } = event;
  const isVisible = !isHidden();
  if (type === "storage") onStorage(event);
  else if (isGone) {
    // One that comes back from the back/forward cache may be seen before its `pageshow`.
    if (isVisible) comeBack();
  } else if (type === "online") hurry();
  else if (type === "visibilitychange" && isVisible) {
    catchUp();
    resume();
  } else if (type !== "pageshow") {
    if (rows.size) catchUp();
    if (type === "pagehide") leave();
    else round(true);
  }
};
