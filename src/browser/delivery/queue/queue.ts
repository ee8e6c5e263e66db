/**
 * The queue, in memory: each event is in one list, by what it waits for. So nothing costs more where more waits: the next event
 * stands at the head of a list.
 */
import { uptime } from "../../../shared/uptime.js";
import { uuid } from "../../../shared/uuid.js";
import { identity } from "../../state/identity.js";
import { filed } from "../../state/storage.js";
import { LOOK_MS } from "../timings.js";
import { EVENT, FIRST, isYoung, type Row } from "./row.js";

type List = Set<Row>;

/**
 * What the keys of this document's rows begin with; nothing until it has tracked something. It ends with a random name, because a
 * duplicated tab has the session storage of the other one.
 */
let me = "";
/** All events that this document lists, by key: in the order in which they joined. */
export const rows = new Map<string, Row>();
// What they wait for. An event with an open request is in no list, and so is a suspect.

/** Tracked here a moment ago: they need no lock. */
export const young: List = new Set();
/** All others that may be sent. */
export const ready: List = new Set();
/** Those that have failed go behind. */
export const failed: List = new Set();
/** Those that another document alone may send now. */
export const leased: List = new Set();
/** Those that the service most likely has: answers to later requests decide. */
export const undecided: List = new Set();
/** Those that wait for their contact. */
export const unaddressed: List = new Set();

/** The number of the next event. */
let seq = 1;
/** The bytes of those that have their contact. */
export let bytes = 0;

/** When the next look at other documents' rows is due, as of `uptime`. */
export let dueAt = Number.POSITIVE_INFINITY;

/** Another document may send an event: what is still there after a while needs help. */
export const lookLater = (ms = LOOK_MS): void => {
  dueAt = Math.min(dueAt, uptime() + ms);
};

/** It is about to look. */
export const lookNever = (): void => {
  dueAt = Number.POSITIVE_INFINITY;
};

/** How many could be sent, if the service were up. */
export const countWaiting = (): number => rows.size - unaddressed.size - undecided.size - leased.size;

/** Goes on under a new name. Its numbers begin anew: of each name, the service gets all from 1 on, or has lost some. */
export const rename = (): void => {
  me = "";
  seq = 1;
};

/** Puts an event into a list, behind all others there, or out of all of them. */
export const move = (row: Row, list?: List): void => {
  row.list?.delete(row);
  row.list = list?.add(row);
};

const count = (row: Row, sign: number): void => {
  if (row.isAddressed) bytes += sign * row.size;
};

/** Lets go of an event, here alone. */
export const forget = (row: Row): void => {
  if (rows.delete(row.key)) count(row, -1);
  move(row);
};

/** Lists an event, or lists it anew, because what it waits for has changed. */
export const enlist = (row: Row): void => {
  if (!rows.has(row.key)) count(row, 1);
  rows.set(row.key, row);
  if (!row.isAddressed && !identity[1]) move(row, unaddressed);
  else move(row, row.failures ? failed : isYoung(row) ? young : ready);
};

/** Changes what is known of an event that waits. */
export const change = (row: Row, next: Partial<Row>): void => {
  count(row, -1);
  Object.assign(row, next);
  count(row, 1);
};

/** The key of the next event. Its number has seven digits from the start, so that keys sort as text. */
export const nextKey = (): string => {
  me ||= filed(EVENT + uuid());
  return `${me}:${FIRST + seq++}:${Date.now()}`;
};
