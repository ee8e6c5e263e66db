/** What a round is to do: which events may be sent now, in which order, and what keeps the others. */
import { isFull, isGone, isLockUsed, room } from "./in-flight.js";
import { take } from "./lease.js";
import { owns } from "./lock.js";
import { pace, waitFor } from "./pace.js";
import { lists, move } from "./queue.js";
import { isStamped, isYoung, type Row } from "./row.js";
import { KEEPALIVE_BYTES, SLOW_MS } from "./timings.js";

/** Why requests are begun now. */
interface Occasion {
  /** Is the page out of sight? It may be over soon. */
  isOut: boolean;
  /** Is it being hidden or left in this moment? */
  isLeaving: boolean;
  /** Is there a reason not to wait for the back-off? */
  mayProbeEarly: boolean;
}

/** Does it fit into the bytes that may outlive the page? In view, a larger one need not, and one with a stamp may be cut off. */
const fits = (row: Row, isOut: boolean): boolean =>
  row.size <= room() || (!isOut && (row.size > KEEPALIVE_BYTES || isStamped(row)));

/**
 * Gives what is to be done, step by step: send this event; or come again after so many milliseconds; or, where it is 0, ask for
 * the lock. Each step is to be taken before the next one is asked for: a request that has begun changes what else may begin.
 */
export function* due({ isOut, isLeaving, mayProbeEarly }: Occasion): Generator<Row | number, void> {
  for (const list of [lists.young, lists.ready, lists.failed])
    for (const row of list) {
      const isFree = isYoung(row);
      if (list === lists.young && !isFree) {
        move(row, lists.ready);
        continue;
      }
      const wait = waitFor(row.key, mayProbeEarly);
      if (wait) return yield wait;
      if (pace.backoff && isGone) return;
      if (!isFree && !owns()) return yield 0;
      // Out of sight, one request at a time goes under the lock, but for the moment in which the page may end.
      if (!isFree && isOut && !isLeaving && isLockUsed()) return;
      if (isFull(isOut)) return yield SLOW_MS;
      // Out of sight it is passed over where it never fits. Else it waits for room, and all behind it wait, too.
      if (!fits(row, isOut)) {
        if (isOut && row.size > KEEPALIVE_BYTES) continue;
        return;
      }
      if (!take(row)) continue;
      yield row;
      if (pace.backoff) return;
    }
}
