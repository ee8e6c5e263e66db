/** Sends one event, and others of its tab along with it, and gives back what became of the request. */
import { backoff, claim } from "./backoff.js";
import { health } from "./health.js";
import { inFlight, openFor, type Request, room } from "./in-flight.js";
import { isStillThere } from "./look.js";
import { owns } from "./ownership.js";
import { lists, move, put } from "./queue.js";
import { isYoung, type Row } from "./row.js";
import { KEEPALIVE_BYTES, SLOW_MS } from "./timings.js";
import { post } from "./transport.js";

/** @param isOut whether the page is out of sight, and may be over soon */
export const send = async (row: Row, isOut: boolean): Promise<Request> => {
  // It is no longer handed off.
  if (row.handedOffAt) {
    row.handedOffAt = 0;
    put(row);
  }
  const several = [row];
  let { size, list } = row;
  // What a service knows again by its stamp goes with others of its tab where it takes several; what has failed goes alone.
  // In view they may be more than outlive the page, so that a back-log goes in four requests at once.
  // While the request is open, the others are in no list.
  if (!backoff && list !== lists.failed && row.stamped)
    for (const one of list!) {
      if (size + one.size >= (isOut ? room() : KEEPALIVE_BYTES) || !(several.length < health.most)) break;
      if (one === row || inFlight.has(one) || !one.isAddressed || !one.stamped) continue;
      if (!isYoung(one) && !(owns(one) && isStillThere(one))) continue;
      move(one);
      several.push(one);
      size += one.size + 1;
    }
  // Beacons, where there is no keepalive, are for pages that may be over soon. While something hangs, a new request is bound
  // to the page: Chromium holds one with keepalive open for 30 s after it was given up, and with it one of six connections.
  const outlives =
    isOut || (size <= room() && !backoff && !openFor(SLOW_MS).length && "keepalive" in Request.prototype);
  claim(row.key);
  const request = { beganAt: Date.now(), kept: outlives ? size : 0, several } as Request;
  inFlight.set(row, request);
  const outcome = await post(several[1] ? `[${several.map(({ body }) => body)}]` : row.body, outlives);
  // Of several, 200 alone says that all are stored; else each goes on alone.
  if (several[1] && outcome[0] > 200) {
    if (outcome[0] < 500) health.most = 0;
    outcome[0] = 0;
  }
  request.outcome = outcome;
  return request;
};
