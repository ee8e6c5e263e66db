/**
 * The one lock of the origin and name: whoever holds it may send events whose lease is over. A Web Lock (W3C, Web Locks API),
 * which the browser frees when the document that holds it is no more. Where there are none, as on plain `http`, it is a row that
 * says whose turn it is, and until when.
 */
import { pause } from "../../../shared/pause.js";
import { uptime } from "../../../shared/uptime.js";
import { config } from "../../config.js";
import { isHidden } from "../../page.js";
import { get, named, remove, set } from "../../state/storage.js";
import { LATE_MS, REFUSED_MS, SETTLE_MS, SETTLE_TURN_MS, STUCK_MS, TURN_MS } from "../timings.js";
import { isGone } from "./requests.js";

interface Held {
  /** When the last writes of the process that held it had arrived, or when an event last went under it. */
  usedAt?: number;
  /** Frees a Web Lock; nothing in case of a turn. */
  free?(): void;
}

/** `<the end of the document's name>,<until when, in epoch milliseconds>`: so short that there is room in a full storage, too. */
const TURN = "turn";

/** What was asked for, or is held. */
let held: Held | undefined;
// Times are those of `uptime`.
let refusedAt = Number.NEGATIVE_INFINITY;
/** Since when it is refused, and no event has gone. */
let stuckSince = Number.POSITIVE_INFINITY;

/** This document, whatever its events are named. */
const me = `${Math.random()}`.slice(2);
const myTurn = (): string => me;
const isMyTurn = (): boolean => !!get(named(TURN))?.startsWith(myTurn());

/**
 * May this document send events whose lease is over? Not where none has gone under the lock for a while: if the page has stood
 * still, another one has stolen it, and this one has yet to hear of that.
 */
export const owns = (): boolean =>
  uptime() - (held?.usedAt ?? Number.NEGATIVE_INFINITY) < LATE_MS && (!!held!.free || isMyTurn());

export const isHeld = (): boolean => !!held?.usedAt;

export const isAsking = (): boolean => !!held;

/** Another document has sent an event, or is about to: whoever holds the lock does not stand still. */
export const hasMoved = (): void => {
  stuckSince = Number.POSITIVE_INFINITY;
};

const writeTurn = (): unknown => set(named(TURN), `${myTurn()},${Date.now() + TURN_MS}`);

/** An event goes under the lock. Where there are no locks, it is still this document's turn. */
export const takeTurn = (): void => {
  held!.usedAt = uptime();
  if (!held!.free) writeTurn();
};

export const release = (): void => {
  if (isHeld() && !held!.free && isMyTurn()) remove(named(TURN));
  held?.free?.();
  held = undefined;
};

/**
 * Asks for the lock, unless that is under way.
 *
 * @param run called when it is held, or was refused
 * @returns milliseconds until it may be asked for again
 */
export const ask = (run: () => void): number => {
  const now = uptime();
  // What was not used for a while may have been stolen. It is free in the next task.
  if (isHeld()) {
    release();
    return 1;
  }
  const wait = refusedAt + REFUSED_MS - now;
  if (isGone || held) return Number.POSITIVE_INFINITY;
  if (wait > 0) return wait;
  // It was long not needed.
  if (wait < -LATE_MS) hasMoved();
  const mine: Held = {};
  held = mine;
  /** @param ms how long a grant has to settle; 0: it was refused */
  const settle = async (ms: number): Promise<void> => {
    if (ms) await pause(ms);
    if (held !== mine) return;
    if (ms && uptime() - now < ms + LATE_MS) {
      mine.usedAt = uptime();
      hasMoved();
    } else {
      held = undefined;
      refusedAt = uptime();
      stuckSince = Math.min(stuckSince, refusedAt);
    }
    run();
  };
  const askForTurn = (): Promise<void> => {
    const left = Number(get(named(TURN))?.split(",")[1]) - Date.now();
    if (!isMyTurn() && left > 0 && left <= TURN_MS) return settle(0);
    writeTurn();
    return settle(SETTLE_TURN_MS);
  };
  const take = (granted: unknown): Promise<void> =>
    new Promise((free) => {
      mine.free = free;
      settle(granted ? SETTLE_MS : 0).then(() => held !== mine && free());
    });
  const isStuck = !isHidden() && now - stuckSince >= STUCK_MS;
  const request = async (): Promise<unknown> =>
    navigator.locks.request(config.name, isStuck ? { steal: true } : { ifAvailable: true }, take);
  request().catch(({ name }) => {
    if (held !== mine) return undefined;
    // Stolen, or the page is left. Any other reason is the browser's own: it has no locks for this page.
    return /Abort|InvalidState/.test(name) ? settle(0) : askForTurn();
  });
  return Number.POSITIVE_INFINITY;
};
