/** What a round is to do: which events may be sent now, in which order, and what keeps the others. */
import { address } from "./addressing.js";
import { backoff, waitFor } from "./backoff.js";
import { inFlight, isFull, isGone, room } from "./in-flight.js";
import { isStillThere } from "./look.js";
import { owns, passedOver } from "./ownership.js";
import { lists, me, ready } from "./queue.js";
import { isYoung, type Row } from "./row.js";
import { KEEPALIVE_BYTES, PROTECTED_MS, SLOW_MS } from "./timings.js";

/** Why requests are begun now. */
export interface Occasion {
  /** Is the page out of sight? It may be over soon. */
  isOut: boolean;
  /** Is it being hidden or left in this moment? */
  isLeaving: boolean;
  /** Is there a reason not to wait for the back-off? */
  mayProbeEarly: boolean;
}

/** An event to be sent, a tab whose lock is needed, or milliseconds until more may be sent. */
type Due = Row | string | number;

function* dueEvents({ isOut, isLeaving, mayProbeEarly }: Occasion): Generator<Due, void> {
  for (const list of [lists.young, ...ready.values(), lists.failed])
    for (const row of list) {
      const { key, size, tab } = row;
      if (list === lists.young && !isYoung(row)) list.delete(row);
      if (inFlight.has(row) || !list.has(row)) continue;
      const wait = isFull(isOut) ? SLOW_MS : waitFor(key, mayProbeEarly);
      if (wait || (backoff && isGone)) return yield wait;
      // A page that is left sends its own events only. A mark that was right is dropped as its row says.
      const isOwnBusiness = isYoung(row) || (isLeaving && tab === me && !row.failedAt && !passedOver(me));
      const isFree = isOwnBusiness && !row.arrivedMark;
      if (isLeaving && !isFree) continue;
      if (!isFree && !owns(row)) {
        const isRefused = passedOver(tab);
        yield isRefused || tab;
        if (backoff && !isRefused) return;
        if (list === lists.failed) continue;
        break;
      }
      if (!isFree && !isStillThere(row)) continue;
      if (!row.isAddressed) address(row);
      // The page's hook has dropped it.
      if (!row.list) continue;
      // An event that does not fit into the bytes that the browser still takes waits, and all behind it wait, too. In view,
      // one with a stamp goes without keepalive: what the end of the page cuts off is sent again, and is stored once.
      if (size > room() && (isOut || (size <= KEEPALIVE_BYTES && !row.stamped))) return;
      yield row;
      if (backoff) return;
    }
}

/**
 * Tabs whose lock keeps other documents away from what has no answer yet, what has just begun included.
 */
function* unprotected(isOut: boolean): Generator<Due, void> {
  for (const [{ tab }, { beganAt }] of inFlight) {
    const left = isOut ? 0 : beganAt + PROTECTED_MS - Date.now();
    yield left > 0 ? left : passedOver(tab) || tab;
  }
}

/** Each step is to be taken before the next one is asked for: a request that has begun changes what else may begin. */
export function* due(occasion: Occasion): Generator<Due, void> {
  yield* dueEvents(occasion);
  yield* unprotected(occasion.isOut);
}
