/**
 * The queue: in storage one key an event, in memory each event in one list, by what it waits for. So nothing costs more where
 * more waits: the next event and the oldest stand at the head of a list.
 */
import { uuid } from "../../shared/uuid.js";
import { report } from "../reporting.js";
import { identity } from "../state/identity.js";
import { remove, set } from "../state/storage.js";
import { bytesOf, EVENT, isAddressed, isOwn, isYoung, type Row, readRow, writeRow } from "./row.js";

type List = Set<Row>;

/** What waits of one tab: what has not failed, and what has. */
export interface Lists {
  ready: List;
  failed: List;
}

/** The name of this document. Random, because a duplicated tab has the session storage of the other one. */
export let me = "";
/** All events that this document lists, by key. */
export const rows = new Map<string, Row>();
/** By the tab that has tracked them: this document's own come first. */
export const tabs = new Map<string, Lists>();
/** Of this document's own, those that it has tracked a moment ago; they stand in their list, too. */
export const young: List = new Set();
/** Those whose page was left while their request was open. */
export const handedOff: List = new Set();
/** Those that wait for their contact. */
export const unaddressed: List = new Set();
/** What became of events, how many were tracked here, and the bytes of those that have their contact. */
export const tally = { delivered: 0, dropped: 0, tracked: 0, bytes: 0, isReported: false };

export const listsOf = (tab: string): Lists => {
  const lists = tabs.get(tab) ?? { ready: new Set(), failed: new Set() };
  tabs.set(tab, lists);
  return lists;
};

const move = (row: Row, list?: List): void => {
  row.list?.delete(row);
  young.delete(row);
  if (row.list && row.list !== unaddressed) tally.bytes -= row.size;
  row.list = list?.add(row);
  if (list && list !== unaddressed) tally.bytes += row.size;
};

/** Goes on under a new name. */
export const rename = (): void => {
  me = uuid();
  const others = [...tabs];
  tabs.clear();
  listsOf(me);
  for (const [tab, lists] of others) tabs.set(tab, lists);
};

/** Lets go of an event, here alone. */
export const forget = (row: Row): void => {
  move(row);
  rows.delete(row.key);
  const lists = tabs.get(row.tab);
  if (row.tab !== me && lists && !lists.ready.size && !lists.failed.size) tabs.delete(row.tab);
};

export const forgetAll = (): void => rows.forEach(forget);

/** Lists an event, behind all others of its kind. What has failed stands in the order in which it is due. */
export const enlist = (row: Row): void => {
  const lists = listsOf(row.tab);
  rows.set(row.key, row);
  if (!isAddressed(row) && (isOwn(row) || !identity()[1])) move(row, unaddressed);
  else if (!row.failures && !row.failedAt) {
    move(row, lists.ready);
    if (isYoung(row)) young.add(row);
  } else {
    move(row, lists.failed);
    const inOrder = [...lists.failed].sort((one, other) => (one.dueAt ?? 0) - (other.dueAt ?? 0));
    lists.failed.clear();
    for (const next of inOrder) lists.failed.add(next);
  }
};

/** Lists an event that the service most likely has. */
export const enlistMark = (row: Row): void => {
  rows.set(row.key, row);
  move(row, handedOff);
};

/** Writes what has changed. */
export const put = (row: Row): void => {
  set(row.key, writeRow(row));
};

export const changeBody = (row: Row, body: string): void => {
  const { list } = row;
  move(row);
  row.body = body;
  row.size = bytesOf(body);
  if (list) move(row, list);
};

/** Lets those go from the young ones that are no longer young. */
export const ripen = (): void => {
  for (const row of young)
    if (isYoung(row)) break;
    else young.delete(row);
};

/** Makes an event durable before it returns. */
export const append = (body: string): Row => {
  // Seven digits from the start, so that keys sort as text.
  const key = `${EVENT}${me}:${1_000_000 + tally.tracked++}:${Date.now()}`;
  const row = readRow(key, `0,0,${body}`);
  if (!isAddressed(row)) row.resetId = identity()[0]!;
  row.trackedAt = performance.now();
  enlist(row);
  put(row);
  return row;
};

const take = (row: Row): void => {
  forget(row);
  remove(row.key);
};

/** The service has it. */
export const deliver = (row: Row): void => {
  take(row);
  tally.delivered++;
};

/** @param rejection why the service does not want it; reported, if there is one, with the event */
export const drop = (row: Row, rejection?: string): void => {
  take(row);
  tally.dropped++;
  if (rejection) report("rejected", rejection, row.body);
};
