/** How long the leases of events are, while and after their requests are open; and what is decided where one has run out. */
import { address } from "./addressing.js";
import { inFlight, openFor } from "./in-flight.js";
import { owns, takeTurn } from "./lock.js";
import { isUnchanged } from "./look.js";
import { isDown, pace } from "./pace.js";
import { enlist, lists, rows } from "./queue.js";
import { isStamped, isYoung, leaseLeft, type Row } from "./row.js";
import { deliver, put } from "./stored.js";
import { FIRST_LEASE_MS, HANGS_MS, LONG_LEASE_MS, PROTECTED_MS } from "./timings.js";

/**
 * Takes an event that is to be sent, if this document may: one that it has tracked a moment ago, and under the lock any other.
 * It has its contact then, and a lease that is longer than any request lasts.
 */
export const take = (row: Row): boolean => {
  const isFree = isYoung(row);
  if (!isFree && !(owns() && isUnchanged(row))) return false;
  if (!row.isAddressed && !address(row)) return false;
  if (!isFree) {
    takeTurn();
    put(row, Date.now() + LONG_LEASE_MS);
  }
  return true;
};

/**
 * Writes long leases: of what is open for a while, or while the page is out of sight. There the sign says whether the service
 * most likely has the event: not where something has failed, and not where it is stamped, since it may be sent again then. Where
 * the lease is over, because the page stood still, the event may be another document's.
 *
 * @returns milliseconds until the next one is to be written
 */
export const protect = (isOut: boolean): number => {
  const isLikely = isOut && !pace.backoff && !pace.failed && navigator.onLine && !openFor(HANGS_MS).length;
  let wait = Number.POSITIVE_INFINITY;
  for (const { several, kept, beganAt } of inFlight) {
    const age = performance.now() - beganAt;
    if (!isOut && age < PROTECTED_MS) wait = Math.min(wait, PROTECTED_MS - age);
    else
      for (const row of several) {
        const left = leaseLeft(row);
        const isGood = isLikely && kept > 0 && !row.failures && !isStamped(row);
        const isRight = left > FIRST_LEASE_MS && isGood === row.lease < 0;
        if (!left || isRight || rows.get(row.key) !== row) continue;
        put(row, (isGood ? -1 : 1) * Math.floor(Date.now() - age + LONG_LEASE_MS));
      }
  }
  return wait;
};

/**
 * Decides about what the service most likely has, by what comes first: it has it, if a request is accepted that began later; it
 * is sent again, if the service is down. As long as nobody has answered, nothing is decided, and nothing is done before the
 * lease is over: until then the answer may come to the page that has sent it.
 *
 * @returns milliseconds until there is something to do
 */
export const decide = (): number => {
  let wait = Number.POSITIVE_INFINITY;
  for (const row of lists.undecided) {
    if (pace.acceptedAt >= row.undecidedAt!) row.hasArrived ??= true;
    else if (isDown()) row.hasArrived ??= false;
    if (row.hasArrived === undefined) continue;
    const left = leaseLeft(row);
    if (left) wait = Math.min(wait, left + 1);
    else if (isUnchanged(row)) {
      if (row.hasArrived) deliver(row);
      else enlist(row);
    }
  }
  return wait;
};
