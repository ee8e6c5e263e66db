/**
 * What waits: in memory, where each event is in one list, by what it waits for, so that nothing costs more where more waits; in
 * the storage, one key an event, its value ready to be sent; and how much may wait.
 */
import { uptime } from "../../shared/uptime.js";
import { uuid } from "../../shared/uuid.js";
import { numberOf } from "../config.js";
import { type DetailOf, report } from "../reporting.js";
import { readConsent } from "../state/consent.js";
import { identity } from "../state/identity.js";
import { consent, filed, get, remove, set } from "../state/storage.js";
import { ageOf, EVENT, FIRST, isOwn, isYoung, type Row, writeRow } from "./row.js";

type List = Set<Row>;

export const NEVER = Number.POSITIVE_INFINITY;

/** All events that this document lists, by key: in the order in which they joined. */
export const rows = new Map<string, Row>();
// What they wait for. An event with an open request is in no list.
/** Tracked here a moment ago: they need no turn. */
export const young: List = new Set();
/** All others that may be sent. */
export const ready: List = new Set();
/** Those that have failed go behind. */
export const failed: List = new Set();
/** Those that wait until their lease is over; below zero it says that the service most likely has the event. */
export const leased: List = new Set();
/** Those that wait for their contact. */
export const unaddressed: List = new Set();

/** Of those that have their contact. */
let bytes = 0;

export const countWaiting = (): number => rows.size - unaddressed.size - leased.size;

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

/**
 * What the keys of this document's rows begin with; nothing until it has tracked something. It ends with a random name, because a
 * duplicated tab has the session storage of the other one.
 */
let me = "";
/** The number of the next event. */
let seq = 1;

/** Goes on under a new name. Its numbers begin anew: of each name, the service gets all from 1 on, or has lost some. */
export const rename = (): void => {
  me = "";
  seq = 1;
};

/** The key of the next event. Its number has seven digits from the start, so that keys sort as text. */
export const nextKey = (): string => {
  me ||= filed(EVENT + uuid());
  return `${me}:${FIRST + seq++}:${Date.now()}`;
};

/** The row of a random text, which stands for as long as nobody empties the storage, and the text that this document knows. */
export const HERE = "here";
let here: string | undefined;
/** After this time the browser has told of what others have removed. */
const TOLD_MS = 6_000;

/**
 * Puts the events that this document lists back where the page has emptied the storage: then `HERE` is gone, or another document
 * has written it anew. Where it stands, a row that is gone was delivered or dropped by another document. An event of another
 * document is put back once the browser must have told of what was delivered just before; one that most likely has arrived is not.
 *
 * @param isEmptied what the browser has told of that: `false` where two documents have written `HERE` at the same time, of which
 *   one text stands
 */
export const restore = (isEmptied?: boolean): void => {
  const stored = get(filed(HERE));
  if (isEmptied ?? (here && stored !== here)) {
    readConsent();
    for (const row of rows.values())
      if (consent === "denied") forget(row);
      else if ((row.lease >= 0 || !row.list) && get(row.key) === undefined) {
        if (isOwn(row) || !row.list) set(row.key, writeRow(row));
        else {
          row.isLost = true;
          row.lease = Date.now() + TOLD_MS;
          move(row, leased);
        }
      }
  }
  here = stored ?? uuid();
  if (!stored) set(filed(HERE), here);
};

/** The text of its row. Without one this document lets go of the event: another one has delivered or dropped it. */
export const textOf = (row: Row): string | undefined => {
  if (get(row.key) === undefined) restore();
  const text = get(row.key);
  // Somebody else has put it back.
  if (text !== undefined) row.isLost = false;
  else if (!row.isLost) forget(row);
  return text;
};

/** @param lease until when others are to leave it alone, as of `Row` */
export const put = (row: Row, lease = row.lease): void => {
  row.lease = lease;
  restore();
  set(row.key, writeRow(row));
};

/** The first lease: what is longer than a document's event is young is the margin for clocks and for writes on their way. */
const FIRST_LEASE_MS = 2_000;

/** Stores an event for the first time: for a moment it is this document's alone. */
export const renew = (row: Row): void => {
  row.trackedAt = uptime();
  enlist(row);
  put(row, Date.now() + FIRST_LEASE_MS);
};

export let delivered = 0;
export let dropped = 0;
export const countDropped = (): void => {
  dropped++;
};

const take = (row: Row): void => {
  forget(rows.get(row.key) ?? row);
  remove(row.key);
};

/** The service has it. */
export const deliver = (row: Row): void => {
  take(row);
  delivered++;
};

/** @param code the problem that is reported with the event, if there is one */
export const drop = <Code extends "rejected" | "evicted">(
  row: Row,
  code?: Code,
  detail = "" as DetailOf<Code>,
): void => {
  take(row);
  dropped++;
  if (code) report(code, detail, row.body);
};

// Bounds, where the options name none.
const MAX_EVENTS = 1_000;
const MAX_BYTES = 1_048_576;
const MAX_AGE_MS = 604_800_000;
/** The longest age that an option may ask for, 30 days: a service must know when no late event can come any more. */
export const LONGEST_AGE_MS = 2_592_000_000;
/** Bytes of one event: services commonly refuse more than that, ours by default. */
const MAX_SIZE = 262_144;
/** Bounds of events without a contact. They may never be sent, so few are kept, and for a day. */
const MAX_UNADDRESSED = 100;
const MAX_UNADDRESSED_AGE_MS = 86_400_000;

export const mostEvents = (): number => numberOf("maxEvents", MAX_EVENTS);
const mostBytes = (): number => numberOf("maxBytes", MAX_BYTES);

/** Is this one event over the bytes that all may have? Then it is dropped itself, and evicts no other one. */
export const isTooLarge = ({ size }: Row): boolean => size > Math.min(mostBytes(), MAX_SIZE);

/** Events that were evicted without a contact. */
let unnamed = 0;

const evict = (row: Row, detail: DetailOf<"evicted">): void => {
  // Perhaps nobody ever identifies here: one report a page is enough.
  if (textOf(row) !== undefined) drop(row, row.isAddressed || !unnamed++ ? "evicted" : undefined, detail);
};

/**
 * Evicts what is too old or too much, the oldest event first; what a later look has found comes after those. Events without a
 * contact have bounds of their own, because they may never be sent.
 */
export const trim = (): void => {
  for (const row of rows.values()) {
    if (!row.isAddressed) continue;
    const isOld = ageOf(row) > Math.min(numberOf("maxAgeMs", MAX_AGE_MS), LONGEST_AGE_MS);
    const isMuch = bytes > mostBytes() || rows.size - unaddressed.size > mostEvents();
    if (!isOld && !isMuch) break;
    evict(row, isOld ? "maxAgeMs" : "maxEvents, maxBytes");
  }
  for (const row of [...unaddressed].filter((row, at) => at >= MAX_UNADDRESSED || ageOf(row) > MAX_UNADDRESSED_AGE_MS))
    evict(row, "identify");
};
