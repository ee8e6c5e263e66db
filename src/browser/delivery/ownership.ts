/**
 * Whose event may be sent from here. A document sends without a lock what it has tracked a moment ago; all else under the
 * Web Lock of the tab that has tracked it (W3C, Web Locks API): the browser grants it to one document at a time, and frees it
 * when that document is no more.
 */
import { config } from "../config.js";
import { isHidden } from "../page.js";
import { guard } from "../reporting.js";
import { inFlight, isFull, isGone } from "./in-flight.js";
import { me } from "./queue.js";
import { ageOf, isYoung, type Row } from "./row.js";
import { LATE_MS, LEFT_ALONE_MS, LEFT_ALONE_WITHOUT_LOCKS_MS, LOCKS, REFUSED_MS, SETTLE_MS } from "./timings.js";

interface Lock {
  /** Until when the tab is passed over, by a clock that nobody sets; 0 where the lock was not refused. */
  refusedUntil: number;
  /** Have the last writes of the process that held it arrived? */
  isSettled: boolean;
  release(): void;
}

/** By the name of the tab. */
const locks = new Map<string, Lock>();
/** Has the browser locks for this page? Not on plain `http`, and not in a sandboxed frame. */
export let hasLocks = true;

/** The locks that were asked for and not refused. */
const wanted = (): Lock[] => [...locks.values()].filter(({ refusedUntil }) => !refusedUntil);

/** Is a lock asked for whose events may not be sent yet? */
export const isAsking = (): boolean => wanted().some(({ isSettled }) => !isSettled);

const end = (tab: string): void => {
  locks.get(tab)?.release();
  locks.delete(tab);
};

/** Milliseconds for which the tab is passed over. */
export const passedOver = (tab: string): number => Math.max(0, (locks.get(tab)?.refusedUntil ?? 0) - performance.now());

/**
 * Asks for the lock of a tab.
 *
 * @param then called once events of the tab may be sent
 * @returns milliseconds until it may be worth another try
 */
export const ask = (tab: string, then: () => void): number => {
  const known = locks.get(tab);
  if (passedOver(tab)) return passedOver(tab);
  if (isGone || wanted().length >= LOCKS || known?.refusedUntil === 0) return REFUSED_MS;
  const lock: Lock = { refusedUntil: 0, isSettled: false, release: () => {} };
  locks.set(tab, lock);
  const settle = (dueAt: number): void => {
    if (locks.get(tab) !== lock) return;
    // The page stood still, and what others wrote may not have arrived. On a hidden page, each timer comes late.
    const isLate = performance.now() - dueAt > LATE_MS && !isHidden();
    if (isLate) end(tab);
    else lock.isSettled = true;
    then();
  };
  const take = (granted: unknown): Promise<void> | undefined => {
    if (locks.get(tab) !== lock) return undefined;
    if (!granted) {
      lock.refusedUntil = performance.now() + REFUSED_MS;
      return undefined;
    }
    const dueAt = performance.now() + SETTLE_MS;
    setTimeout(() => guard(() => settle(dueAt)), SETTLE_MS);
    return new Promise((resolve) => {
      lock.release = resolve;
    });
  };
  const request = async (): Promise<void> => {
    if (!hasLocks || !navigator.locks) throw new DOMException("", "SecurityError");
    await navigator.locks.request(`${config.name}:${tab}`, { ifAvailable: true }, take);
  };
  request().catch(({ name }) => {
    hasLocks &&= name !== "SecurityError";
    take(!hasLocks);
  });
  return REFUSED_MS;
};

/** May this document write and send the event now? */
export const owns = (row: Row): boolean => isYoung(row) || !!locks.get(row.tab)?.isSettled;

/** May the event go without a lock because its page may be over? Unless another document has the lock. */
export const mayLeave = ({ tab, isBegun }: Row): boolean => tab === me && !isBegun && !passedOver(me);

/** Is the event of another tab so young that its own document sends it? */
export const isLeftAlone = (row: Row): boolean =>
  ageOf(row) >= 0 && ageOf(row) < (hasLocks ? LEFT_ALONE_MS : LEFT_ALONE_WITHOUT_LOCKS_MS);

/** Lets go of the locks of tabs without an open request. */
export const release = (): void => {
  // Where only a place is missing, what was granted is used soon.
  if (isFull(isHidden())) return;
  const open = new Set([...inFlight.keys()].map(({ tab }) => tab));
  for (const [tab, { isSettled }] of locks) if (isSettled && !open.has(tab)) end(tab);
};

export const releaseAll = (): void => {
  for (const tab of locks.keys()) end(tab);
};
