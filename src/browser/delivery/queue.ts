/**
 * The queue: in storage one key an event, in memory each event in one list, by what it waits for. So nothing costs more where
 * more waits: the next event stands at the head of a list.
 */
import { uuid } from "../../shared/uuid.js";
import type { Problem } from "../../types.js";
import { report } from "../reporting.js";
import { identity } from "../state/identity.js";
import { filed, remove, set } from "../state/storage.js";
import { contentOf, EVENT, isOwn, isYoung, type Row, writeRow } from "./row.js";

type List = Set<Row>;

/**
 * What the keys of this document's rows begin with, and the name of its lock. It ends with a random name, because a duplicated
 * tab has the session storage of the other one.
 */
export let me = "";
/** All events that this document lists, by key: in the order in which they joined. */
export const rows = new Map<string, Row>();
/** Those that may be sent, by the tab that has tracked them. */
export const ready = new Map<string, List>();
/** The other events, by what they wait for. */
export const lists = {
  /** Of this document's own, those that were tracked a moment ago, and some that no longer are; they are ready, too. */
  young: new Set() as List,
  /** Those that have failed. */
  failed: new Set() as List,
  /** Those whose page was left while their request was open. */
  handedOff: new Set() as List,
  /** Those that wait for their contact. */
  unaddressed: new Set() as List,
};
/**
 * What became of events (`unnamed` were evicted without a contact, `strange` are left alone, because they are of another token),
 * the number of the next one, and the bytes of those that have one.
 */
export const tally = { delivered: 0, dropped: 0, unnamed: 0, strange: 0, seq: 1, bytes: 0 };

/** How many could be sent, if the service were up. */
export const countWaiting = (): number => rows.size - lists.unaddressed.size - lists.handedOff.size;

/** Goes on under a new name. Its numbers begin anew: of each name, the service gets all from 1 on, or has lost some. */
export const rename = (): void => {
  me = filed(EVENT + uuid());
  tally.seq = 1;
};

/** Puts an event into a list, behind all others there, or out of all of them. */
export const move = (row: Row, list?: List): void => {
  row.list?.delete(row);
  lists.young.delete(row);
  row.list = list?.add(row);
};

const count = (row: Row, sign: number): void => {
  if (row.isAddressed) tally.bytes += sign * row.size;
};

/** Lets go of an event, here alone. */
export const forget = (row: Row): void => {
  if (rows.delete(row.key)) count(row, -1);
  move(row);
  if (!ready.get(row.tab)?.size) ready.delete(row.tab);
};

/** @param isAgain whether an event that was handed off is sent again */
export const enlist = (row: Row, isAgain?: boolean): void => {
  const isNamed = row.isAddressed || (!isOwn(row) && identity[1]);
  const own = ready.get(row.tab) ?? new Set();
  if (!rows.has(row.key)) count(row, 1);
  rows.set(row.key, row);
  if (row.handedOffAt && !isAgain) move(row, lists.handedOff);
  else if (!isNamed) move(row, lists.unaddressed);
  else if (row.failures || row.failedAt) move(row, lists.failed);
  else {
    ready.set(row.tab, own);
    move(row, own);
    if (isYoung(row)) lists.young.add(row);
  }
};

/** Writes what has changed. */
export const put = (row: Row): void => {
  set(row.key, writeRow(row));
};

/** Changes what is known of an event that waits. @param isAgain as of `enlist` */
export const change = (row: Row, next: Partial<Row>, isAgain?: boolean): void => {
  count(row, -1);
  Object.assign(row, next);
  count(row, 1);
  enlist(row, isAgain);
};

/** The record of a new event. */
export const create = (body: string, stamped: string, account: string): Row => {
  const time = Date.now();
  return {
    // Seven digits from the start, so that keys sort as text.
    key: `${me}:${1_000_000 + tally.seq++}:${time}`,
    tab: me,
    time,
    failures: 0,
    handedOffAt: 0,
    stamped,
    account,
    trackedAt: performance.now(),
    ...contentOf(body),
  };
};

const take = (row: Row): void => {
  forget(rows.get(row.key) ?? row);
  remove(row.key);
};

/** The service has it. */
export const deliver = (row: Row): void => {
  take(row);
  tally.delivered++;
};

/** @param code the problem that is reported with the event, if there is one */
export const drop = (row: Row, code?: Problem["code"], detail = ""): void => {
  take(row);
  tally.dropped++;
  if (code) report(code, detail, row.body);
};
