/** Sends one event, and gives back what became of its request. */
import { backoff, claim } from "./backoff.js";
import { inFlight, openFor, type Request, room } from "./in-flight.js";
import { put } from "./queue.js";
import type { Row } from "./row.js";
import { SLOW_MS } from "./timings.js";
import { type Outcome, post } from "./transport.js";

/** A request that has ended, and how. */
export interface Ended {
  request: Request;
  outcome: Outcome;
}

/** @param isOut whether the page is out of sight, and may be over soon */
export const send = async (row: Row, isOut: boolean): Promise<Ended> => {
  // It is no longer handed off.
  if (row.handedOffAt) {
    row.handedOffAt = 0;
    put(row);
  }
  // Beacons, where there is no keepalive, are for pages that may be over soon. While something hangs, a new request is bound
  // to the page: Chromium holds one with keepalive open for 30 s after it was given up, and with it one of six connections.
  const outlives =
    row.size <= room() && (isOut || (!backoff && !openFor(SLOW_MS).length && "keepalive" in Request.prototype));
  claim(row.key);
  const request = {
    beganAt: Date.now(),
    kept: outlives ? row.size : 0,
  };
  inFlight.set(row, request);
  return { request, outcome: await post(row.body, outlives) };
};
