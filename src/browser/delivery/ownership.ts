/**
 * Whose event may be sent from here. A document sends without a lock what it has tracked a moment ago; all else under the
 * Web Lock of the tab that has tracked it (W3C, Web Locks API): the browser grants it to one document at a time, and frees it
 * when that document is no more.
 */
import { pause } from "../../shared/pause.js";
import { isHidden } from "../page.js";
import { inFlight, isFull, isGone } from "./in-flight.js";
import { ageOf, isOwn, isYoung, type Row } from "./row.js";
import { LEFT_ALONE_MS, LEFT_ALONE_WITHOUT_LOCKS_MS, LOCKS, REFUSED_MS, SETTLE_MS } from "./timings.js";

interface Lock {
  /** Have the last writes of the process that held it arrived? */
  isSettled?: boolean;
  release?(): void;
}

/** Locks that were asked for and not refused, by the name of their tab. */
const held = new Map<string, Lock>();
/** Until when tabs are passed over whose lock was refused, by a clock that nobody can set. */
const refused = new Map<string, number>();

/** Has the browser locks for this page? Not on plain `http`. */
export const hasLocks = (): boolean => "locks" in navigator;

/** Is a lock asked for, or held? */
export const isAsking = (): boolean => held.size > 0;

const end = (tab: string): void => {
  held.get(tab)?.release?.();
  held.delete(tab);
};

/** Milliseconds for which the tab is passed over. */
export const passedOver = (tab: string): number => Math.max(0, (refused.get(tab) ?? 0) - performance.now());

/**
 * Asks for the lock of a tab.
 *
 * @returns ends once events of the tab may be sent, or the lock was refused; never, where it is asked for already, or where no
 *   further lock may be
 */
export const ask = (tab: string): Promise<void> =>
  new Promise((resolve) => {
    if (isGone || held.has(tab) || held.size >= LOCKS) return;
    const lock: Lock = {};
    held.set(tab, lock);
    const isOurs = (): boolean => held.get(tab) === lock;
    const take = async (granted: unknown): Promise<void> => {
      if (!isOurs()) return;
      const since = performance.now();
      if (granted) await pause(SETTLE_MS);
      else refused.set(tab, since + REFUSED_MS);
      if (!isOurs()) return;
      if (!granted) end(tab);
      else lock.isSettled = true;
      resolve();
      if (isOurs())
        await new Promise<void>((release) => {
          lock.release = release;
        });
    };
    const request = async (): Promise<unknown> => navigator.locks.request(tab, { ifAvailable: true }, take);
    // Without locks, as on plain `http` and in a sandboxed frame, nobody can refuse one.
    request().catch(() => take(true));
  });

/** May this document write and send the event now? */
export const owns = (row: Row): boolean => isYoung(row) || !!held.get(row.tab)?.isSettled;

/** Is the event of another tab so young that its own document sends it? A handed-off event is not: its document may be gone. */
export const isLeftAlone = (row: Row): boolean =>
  !isOwn(row) &&
  !row.handedOffAt &&
  ageOf(row) >= 0 &&
  ageOf(row) < (hasLocks() ? LEFT_ALONE_MS : LEFT_ALONE_WITHOUT_LOCKS_MS);

/** Frees the locks of tabs without an open request. A lock is kept where only a free place is missing, because it is used soon. */
export const release = (): void => {
  const open = new Set([...inFlight.keys()].map(({ tab }) => tab));
  if (!isFull(isHidden())) for (const [tab, { isSettled }] of held) if (isSettled && !open.has(tab)) end(tab);
};

export const releaseAll = (): void => {
  for (const tab of held.keys()) end(tab);
};
