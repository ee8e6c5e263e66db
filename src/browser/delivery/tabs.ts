/** What several documents share: the rows of each other's events, and whose turn it is to send them. */
import { attempt } from "../../shared/attempt.js";
import { pause, uptime } from "../../shared/uptime.js";
import { uuid } from "../../shared/uuid.js";
import { report } from "../reporting.js";
import { identity } from "../state/identity.js";
import { get, isOurs, keys, named, remove, set } from "../state/storage.js";
import {
  change,
  countDropped,
  drop,
  enlist,
  forget,
  LONGEST_AGE_MS,
  leased,
  move,
  NEVER,
  rows,
  textOf,
} from "./queue.js";
import { EVENT, leaseLeft, type Row, readRow, timeOf } from "./row.js";

/** Events that are left alone, because they are of another token. */
let strange = 0;
/** An event of another document that is still there after this time needs help. */
const LOOK_MS = 3_000;
/** When the next look at other documents' rows is due, as of `uptime`. */
export let dueAt = NEVER;

export const lookLater = (): void => {
  dueAt = Math.min(dueAt, uptime() + LOOK_MS);
};

/** Has somebody logged out since the event was tracked, without its contact? Nothing is tracked so after a log-out. */
const isForgotten = ({ isAddressed }: Row): boolean => !isAddressed && !!identity[0];

export const file = (row: Row): void => {
  const isLeased = row.lease < 0 || leaseLeft(row);
  if (!isLeased && isForgotten(row)) drop(row);
  else {
    enlist(row);
    if (isLeased) move(row, leased);
  }
};

const load = (key: string): void => {
  const row = readRow(key, get(key) ?? "");
  // Anybody may have written it. Whether it is one that the service takes, that one says.
  if (attempt(() => JSON.parse(row.body).params)) file(row);
  else {
    remove(key);
    countDropped();
  }
};

/**
 * May this document go on with the event? Not where its row is gone, because another one has delivered or dropped it, or where
 * another one has written it since: then it is filed anew. To be asked right before the event is sent or changed.
 */
export const isUnchanged = (row: Row): boolean => {
  const text = textOf(row);
  if (text === undefined) return false;
  const next = readRow(row.key, text);
  if (next.lease === row.lease && !isForgotten(row)) return true;
  if (!row.list) {
    forget(row);
    lookLater();
  } else {
    change(row, next);
    file(row);
  }
  return false;
};

/**
 * Lists the events of other documents, the oldest first. Rows of other tokens, and of other versions of the script, are theirs
 * until they are older than any option lets them be.
 */
export const look = (): void => {
  dueAt = NEVER;
  const events = keys().filter((key) => /\bevent/.test(key));
  for (const key of events.sort((one, other) => timeOf(one) - timeOf(other)))
    if (rows.has(key)) continue;
    else if (isOurs(key) && key.includes(EVENT)) load(key);
    else if (Date.now() - timeOf(key) > LONGEST_AGE_MS) remove(key);
    else if (!isOurs(key) && !strange++) report("input", "init: formerToken");
};

/**
 * A row of the origin and name says whose turn it is to send events whose lease is over, and until when:
 * `<the document>,<until when, in epoch milliseconds>`, so short that there is room in a full storage, too. Who wants it writes it,
 * waits until every document has heard, and reads it: who wrote last has it. No Web Lock: a page that is frozen, cached or gone holds
 * nothing for longer than a turn, and plain `http` is as `https`.
 */
const TURN = "turn";
/** A turn holds for this time after the last event. */
const TURN_MS = 5_000;
/** For so long before its end nothing begins in a turn: another page may have it sooner, by its clock. */
const LATE_MS = 1_000;
/** Who wants the turn reads it so long after it has written it: after 500 ms no two of four tabs took the same, after 300 ms 7 % did. */
const SETTLE_MS = 600;
/** It is asked for again after this time, while it is another one's. */
const REFUSED_MS = 500;

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

/** Gives the turn back; one that it has not used for a while may be another one's, of which a page that stood still has yet to hear. */
export const release = (): void => {
  if (owns()) remove(named(TURN));
  usedAt = 0;
};

/**
 * Asks for the turn, unless that is under way.
 *
 * @param run called when it was granted, or may be asked for again
 * @returns milliseconds until it may be asked for again
 */
export const ask = (run: () => void): number => {
  if (usedAt < 0) return NEVER;
  me ||= uuid().slice(-12);
  const left = Number(get(named(TURN))?.split(",")[1]) - Date.now();
  // What is longer was written by a clock that was set since.
  if (left > 0 && left <= TURN_MS && !isMine()) return REFUSED_MS;
  write();
  const asked = -uptime();
  usedAt = asked;
  pause(SETTLE_MS).then(() => {
    if (usedAt !== asked) return;
    usedAt = -asked;
    run();
  });
  return NEVER;
};
