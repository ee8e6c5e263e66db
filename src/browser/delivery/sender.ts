/** Sends one event, and others along with it, and gives back what became of the request. */
import { inFlight, openFor, type Request, room } from "./in-flight.js";
import { take } from "./lease.js";
import { claim, pace } from "./pace.js";
import { move } from "./queue.js";
import { isStamped, isYoung, type Row } from "./row.js";
import { KEEPALIVE_BYTES, SLOW_MS } from "./timings.js";
import { post } from "./transport.js";

/**
 * What the service knows again by its stamp goes with others of its list where it takes several. In view they may be more than
 * outlive the page, so that a back-log goes in four requests at once. While their request is open they are in no list.
 */
const collect = (row: Row, isOut: boolean): Row[] => {
  const several = [row];
  // In a back-off one event finds out how the service is; or what the service has put off as it was.
  const most = Math.min(pace.most, row.most ?? (pace.backoff ? 1 : Number.POSITIVE_INFINITY));
  const bytes = isOut ? room() : KEEPALIVE_BYTES;
  let { size, list } = row;
  move(row);
  if (isStamped(row))
    for (const one of list!) {
      if (several.length >= most || size + one.size >= bytes) break;
      if (!isStamped(one) || one.most !== row.most || !take(one)) continue;
      move(one);
      several.push(one);
      size += one.size + 1;
    }
  return several;
};

/** @param isOut whether the page is out of sight, and may be over soon */
export const send = async (row: Row, isOut: boolean): Promise<Request> => {
  const several = collect(row, isOut);
  const body = several[1] ? `[${several.map((one) => one.body)}]` : row.body;
  const size = several.reduce((sum, one) => sum + one.size + 1, -1);
  // Beacons, where there is no keepalive, are for pages that may be over soon. While something hangs, a new request is bound
  // to the page: Chromium holds one with keepalive open for 30 s after it was given up, and with it one of six connections.
  const outlives =
    isOut || (size <= room() && !pace.backoff && !openFor(SLOW_MS).length && "keepalive" in Request.prototype);
  const request = {
    beganAt: performance.now(),
    kept: outlives ? size : 0,
    isLocked: !isYoung(row),
    several,
  } as Request;
  claim(row.key);
  for (const one of several) one.isUnderWay = true;
  inFlight.add(request);
  request.outcome = await post(body, outlives);
  return request;
};
