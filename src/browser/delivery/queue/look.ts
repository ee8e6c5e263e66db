/** What the rows in the storage say: of events of other documents, which are listed here, and of those that are listed already. */
import { attempt } from "../../../shared/attempt.js";
import { uptime } from "../../../shared/uptime.js";
import { report } from "../../reporting.js";
import { identity } from "../../state/identity.js";
import { get, isOurs, keys, remove } from "../../state/storage.js";
import { LONG_LEASE_MS, LONGEST_AGE_MS } from "../timings.js";
import { change, dueAt, enlist, forget, leased, lookLater, lookNever, move, rows, undecided } from "./queue.js";
import { EVENT, leaseLeft, type Row, readRow, timeOf } from "./row.js";
import { countDropped, drop, put, textOf } from "./stored.js";

/** Events that are left alone, because they are of another token. */
let strange = 0;

/** Has somebody logged out since the event was tracked, without its contact? Nothing is tracked so after a log-out. */
const isForgotten = ({ isAddressed }: Row): boolean => !isAddressed && !!identity[0];

/** Lists an event as its row says. What another document alone may send is listed only where it was listed before. */
export const file = (row: Row): void => {
  const left = leaseLeft(row);
  if (row.lease < 0) {
    enlist(row);
    row.undecidedAt ??= uptime();
    move(row, undecided);
  } else if (left) {
    if (rows.has(row.key)) move(row, leased);
    lookLater(left + 1);
  } else if (isForgotten(row)) drop(row);
  else enlist(row);
};

/** Lists the event of a row, if it is one. */
export const load = (key: string): void => {
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
  if (row.isUnderWay) {
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
  lookNever();
  for (const row of [...leased]) {
    if (row.isLost) {
      const left = leaseLeft(row);
      if (left) {
        lookLater(left + 1);
        continue;
      }
      row.isLost = false;
      if (get(row.key) === undefined) put(row, Date.now() + LONG_LEASE_MS);
    }
    if (isUnchanged(row)) file(row);
  }
  const events = keys().filter((key) => /\bevent/.test(key));
  for (const key of events.sort((one, other) => timeOf(one) - timeOf(other)))
    if (rows.has(key)) continue;
    else if (isOurs(key) && key.includes(EVENT)) load(key);
    else if (Date.now() - timeOf(key) > LONGEST_AGE_MS) remove(key);
    else if (!isOurs(key) && !strange++) report("input", "init: formerToken");
};

/**
 * Looks, where one is due.
 *
 * @returns milliseconds until the next one
 */
export const lookWhenDue = (): number => {
  if (uptime() >= dueAt) look();
  return dueAt - uptime();
};
