/**
 * Whose turn it is to send events whose lease is over: a row of the origin and name says so, and until when. Who wants it writes
 * it, waits until every document has heard, and reads it: who wrote last has it. No Web Lock: a page that is frozen, cached or
 * gone holds nothing for longer than a turn, and plain `http` is as `https`.
 */
import { pause } from "../../../shared/pause.js";
import { uptime } from "../../../shared/uptime.js";
import { uuid } from "../../../shared/uuid.js";
import { get, named, remove, set } from "../../state/storage.js";
import { LATE_MS, REFUSED_MS, SETTLE_MS, TURN_MS } from "../timings.js";
import { isGone } from "./requests.js";

/** `<the document>,<until when, in epoch milliseconds>`: so short that there is room in a full storage, too. */
const TURN = "turn";
/** This document, whatever its events are named; nothing before it asks. */
let me = "";

/** When its row was written last, as of `uptime`; below zero while it is asked for; 0 where it is not. */
let usedAt = 0;

const isMine = (): boolean => !!get(named(TURN))?.startsWith(me);
const write = (): unknown => set(named(TURN), `${me},${Date.now() + TURN_MS}`);

/** May this document send events whose lease is over? Not near the end of the turn: the page may have stood still. */
export const owns = (): boolean => usedAt > 0 && uptime() - usedAt < TURN_MS - LATE_MS && isMine();

export const isAsking = (): boolean => usedAt < 0;

/** An event goes: it is this document's turn for longer. */
export const takeTurn = (): void => {
  usedAt = uptime();
  write();
};

export const release = (): void => {
  if (usedAt > 0 && isMine()) remove(named(TURN));
  usedAt = 0;
};

/**
 * Asks for the turn, unless that is under way.
 *
 * @param run called when it was granted, or may be asked for again
 * @returns milliseconds until it may be asked for again
 */
export const ask = (run: () => void): number => {
  if (usedAt > 0) release();
  if (isGone || usedAt) return Number.POSITIVE_INFINITY;
  me ||= uuid().slice(-12);
  const left = Number(get(named(TURN))?.split(",")[1]) - Date.now();
  // What is longer was written by a clock that was set since.
  if (left > 0 && left <= TURN_MS && !isMine()) return Math.min(left, REFUSED_MS);
  write();
  const asked = -uptime();
  usedAt = asked;
  pause(SETTLE_MS).then(() => {
    if (usedAt !== asked) return;
    usedAt = -asked;
    run();
  });
  return Number.POSITIVE_INFINITY;
};
