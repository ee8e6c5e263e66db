import { setTimeout as sleep } from "node:timers/promises";
import type { Browser } from "playwright";
import { EVENTS, type Fault } from "./faults.js";
import type { Peer, Received } from "./peer.js";
import { startVisit } from "./visit.js";

export interface Count {
  /** How many events were recorded, and how many of them never came. */
  events: number;
  lost: number;
  /** Events that came more than once: with an id that tells the service so, and without. */
  repeated: number;
  unmarked: number;
}

/** What a service has taken of the events that were recorded. */
export const countEvents = (events: readonly string[], taken: readonly Received[]): Count => {
  const copies = events.map((event) => taken.filter(({ name }) => name === event));
  const repeated = copies.filter(({ length }) => length > 1);
  const isMarked = ([first, ...rest]: Received[]): boolean =>
    first!.id !== undefined && rest.every(({ id }) => id === first!.id);
  return {
    events: events.length,
    lost: copies.filter(({ length }) => length === 0).length,
    repeated: repeated.length,
    unmarked: repeated.filter((same) => !isMarked(same)).length,
  };
};

/** A visit takes up to a minute and a half. A page that is blocked by its tracker would never end it. Milliseconds. */
const LIMIT_MS = 120_000;
const endLate = (): never => {
  throw new Error(`the visit has not come to its end within ${LIMIT_MS / 1_000} s`);
};

/** Has a visitor meet a fault, and counts. @throws Error when a request could not be read */
export const measureFault = async (
  browser: Browser,
  peer: Peer,
  { script, fault }: { script: string; fault: Fault },
): Promise<Count> => {
  const visit = await startVisit(browser, peer, script);
  const meet = async (): Promise<void> => visit.goOn(await fault.happen(visit), EVENTS);
  try {
    await Promise.race([meet(), sleep(LIMIT_MS, undefined, { ref: false }).then(endLate)]);
    if (visit.collector.errors.length) throw new Error(visit.collector.errors.join("\n"));
    return countEvents(EVENTS, visit.collector.taken);
  } finally {
    await visit.close();
  }
};
