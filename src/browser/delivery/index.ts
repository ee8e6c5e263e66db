/** The one door of the delivery: an event comes in, and leaves when the service has it. */
import { isHidden, type PageEvent } from "../page.js";
import { log } from "../reporting.js";
import { choose, consent, followConsent, restoreRefusal } from "../state/consent.js";
import { IDENTITY, identify, identity, resetIdentity } from "../state/identity.js";
import { followRow, get, getStored, isInMemory, keyOf } from "../state/storage.js";
import { addressAll, followVisitor, forgetUnaddressed } from "./addressing.js";
import { BACKOFF, backoff, followBackoff } from "./backoff.js";
import { admit } from "./bounds.js";
import { accept } from "./health.js";
import { inFlight, isGone, setGone } from "./in-flight.js";
import { load, look, noteOther, told } from "./look.js";
import { releaseAll } from "./ownership.js";
import { append, enlist, forget, put, rename, rows } from "./queue.js";
import { hurry, round, wake } from "./rounds.js";
import { EVENT, isOwn, readRow } from "./row.js";

export { flush } from "./flush.js";
export { me, tally } from "./queue.js";

const followChoice = (): void => {
  followConsent();
  if (consent === "denied") rows.forEach(forget);
};

/** Reads what other documents have written. @param isTold whether one of them may have ended the back-off */
const catchUp = (isTold?: boolean): void => {
  followChoice();
  followVisitor();
  followBackoff(isTold);
};

/** Before the first call is carried out. */
export const begin = (): void => {
  rename();
  catchUp();
};

/** Something may let events go, those of other tabs too: a page was loaded, or is seen again. */
export const resume = (): void => {
  look();
  hurry();
};

/** Makes the body of an event durable, and has it sent. */
export const add = (body: string): void => {
  const row = append(body);
  log(consent === "pending" ? "waits for consent" : row.isAddressed ? "queued" : "waits for identify", body);
  admit(row);
  wake();
};

export const identified = (contact: string, account: string): void => {
  followVisitor();
  const before = `${identity()}`;
  identify(contact, account);
  addressAll();
  // Tabs that are no more may have left events that nobody was named for.
  if (`${identity()}` !== before && !isHidden()) look();
  wake();
};

/** Somebody logs out: what was never addressed goes. Events of other tabs go when they are taken over. */
export const reset = (): void => {
  resetIdentity();
  forgetUnaddressed();
};

/** The visitor chooses. */
export const chosen = (choice: "granted" | "denied"): void => {
  choose(choice);
  catchUp();
  resume();
};

const leave = (): void => {
  setGone(true);
  round(true);
  // What the page has emptied out of the storage, the next page needs.
  for (const row of rows.values()) if (isOwn(row) && getStored(row.key) === undefined) put(row);
  restoreRefusal();
  releaseAll();
};

/** The page is back from the back/forward cache. Another tab may send what it had queued, but for what only its memory holds. */
const comeBack = (): void => {
  setGone(false);
  rename();
  // Where the identity is gone, too, the page has emptied the storage (a log-out).
  const isEmptied = get(IDENTITY) === undefined;
  // Firefox and WebKit may never end its request: its mark, if it has one, is judged like any other. Without a row, another
  // tab has delivered it.
  for (const row of rows.values())
    if (inFlight.has(row) && (isEmptied || get(row.key) !== undefined)) enlist(row);
    else if (!isInMemory(row.key)) forget(row);
  catchUp();
  resume();
};

/** Another document has changed a row; one that it has removed has no text. */
const followEvent = (key: string, text: string | null): void => {
  const row = rows.get(key);
  if (text !== null) {
    // A mark is judged by the requests that begin now.
    if (row || !readRow(key, text).handedOffAt) noteOther(key);
    else load(key);
  } else {
    told.delete(key);
    // It has delivered or dropped the event. Where a request is open here, its answer decides; what became of a mark says
    // nothing of an event whose request this document still hears of.
    if (row && inFlight.has(row)) row.isRemoved = !row.handedOffAt;
    else if (row) forget(row);
  }
};

const followStorage = ({ key, newValue }: PageEvent): void => {
  const own = keyOf(key);
  // Where all is emptied, this tab's own events hold.
  if (own === undefined) return;
  if (own.startsWith(EVENT)) followEvent(own, newValue);
  else {
    const wasDown = !!backoff;
    followRow(own, newValue);
    catchUp(own === BACKOFF);
    // Another tab has seen the service accept an event.
    if (wasDown && !backoff) accept(Date.now(), performance.now());
  }
  round();
};

/** What happens to the page: one of the events of `onPage`, but `pageshow` only where it comes back. */
export const onPageEvent = (event: PageEvent): void => {
  const { type } = event;
  const isVisible = !isHidden();
  if (type === "storage") followStorage(event);
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
