/** What a round is to do: which events may be sent now, in which order and with which others, and what keeps them. */
import { address } from "./addressing.js";
import { isUnchanged } from "./queue/look.js";
import { enlist, failed, move, ready, young } from "./queue/queue.js";
import { isStamped, isYoung, type Row } from "./queue/row.js";
import { put } from "./queue/stored.js";
import { backoff, offer, waitFor } from "./requests/pace.js";
import { inFlight, isFull, isGone, room } from "./requests/requests.js";
import { owns, takeTurn } from "./requests/turn.js";
import { takesLists } from "./requests/verdicts.js";
import { KEEPALIVE_BYTES, LONG_LEASE_MS, SLOW_MS } from "./timings.js";

const NEVER = Number.POSITIVE_INFINITY;

/** Does it fit into the bytes that may outlive the page? In view, a larger one need not, and one may be cut off whose repeat is dropped. */
const fits = (row: Row, isOut: boolean): boolean =>
  row.size <= room() || (!isOut && (row.size > KEEPALIVE_BYTES || (!!offer && isStamped(row))));

/**
 * Takes an event that is to be sent, if it is there still. It has its contact then, and in a turn a lease that is longer
 * than any request lasts.
 */
const take = (row: Row, isYoung: boolean): boolean => {
  if ((!isYoung && !isUnchanged(row)) || (!row.isAddressed && !address(row))) return false;
  if (!isYoung) {
    takeTurn();
    put(row, Date.now() + LONG_LEASE_MS);
  }
  return true;
};

/**
 * What the service knows again by its stamp goes with others of its list where it takes several. In view they may be more than
 * outlive the page, so that a back-log goes in four requests at once. While their request is open they are in no list.
 */
const collect = (row: Row, isYoung: boolean, isOut: boolean): Row[] => {
  const several = [row];
  // In a back-off one event finds out how the service is; or what the service has put off as it was.
  const most = Math.min(takesLists ? offer || 1 : 1, row.most ?? (backoff ? 1 : Number.POSITIVE_INFINITY));
  const bytes = isOut ? room() : KEEPALIVE_BYTES;
  let { size, list } = row;
  move(row);
  if (isStamped(row))
    for (const one of list!) {
      if (several.length >= most || size + one.size >= bytes) break;
      if (!isStamped(one) || one.most !== row.most || !take(one, isYoung)) continue;
      move(one);
      several.push(one);
      size += one.size + 1;
    }
  return several;
};

/**
 * Begins what may be sent now, by `begin`, which sends these events in one request: a request that has begun changes what else may
 * begin.
 *
 * @param isOut whether the page is out of sight, and may be over soon
 * @param isLeaving whether it is being hidden or left in this moment
 * @param mayProbeEarly whether there is a reason not to wait for the back-off
 * @returns milliseconds until to come again; 0 where the turn is to be asked for
 */
export const due = (
  isOut: boolean,
  isLeaving: boolean,
  mayProbeEarly: boolean,
  begin: (several: Row[]) => void,
): number => {
  for (const list of [young, ready, failed])
    for (const row of list) {
      const isFree = list === young;
      if (isFree && !isYoung(row)) {
        enlist(row);
        continue;
      }
      const wait = waitFor(row.key, mayProbeEarly);
      if (wait) return wait;
      if (backoff && isGone) return NEVER;
      if (!isFree && !owns()) return 0;
      // Out of sight, what is not young goes in one request at a time, but for the moment in which the page may end.
      if (!isFree && isOut && !isLeaving && inFlight.size) return NEVER;
      if (isFull(isOut)) return SLOW_MS;
      // Out of sight it is passed over where it never fits. Else it waits for room, and all behind it wait, too.
      if (!fits(row, isOut)) {
        if (isOut && row.size > KEEPALIVE_BYTES) continue;
        return NEVER;
      }
      if (!take(row, isFree)) continue;
      begin(collect(row, isFree, isOut));
      if (backoff) return NEVER;
    }
  return NEVER;
};
