/** The queue, in the storage: one key an event, its value ready to be sent. */
import { uptime } from "../../../shared/uptime.js";
import { uuid } from "../../../shared/uuid.js";
import { type DetailOf, report } from "../../reporting.js";
import { followConsent } from "../../state/consent.js";
import { consent, filed, get, remove, set } from "../../state/storage.js";
import { FIRST_LEASE_MS, TOLD_MS } from "../timings.js";
import { enlist, forget, leased, lookLater, move, rows, undecided } from "./queue.js";
import { isOwn, type Row, writeRow } from "./row.js";

/** A random text, which stands for as long as nobody empties the storage. */
export const HERE = "here";

// What became of events.
export let delivered = 0;
export let dropped = 0;

export const countDropped = (): void => {
  dropped++;
};

/** The text of `HERE` that this document knows. */
let here: string | undefined;

/**
 * Puts the events that this document lists back where the page has emptied the storage: then `HERE` is gone, or another document
 * has written it anew. Where it stands, a row that is gone was delivered or dropped by another document. An event of another
 * document is put back once the browser must have told of what was delivered just before.
 *
 * @param isEmptied what the browser has told of that: `false` where two documents have written `HERE` at the same time, of which
 *   one text stands
 */
export const restore = (isEmptied?: boolean): void => {
  const stored = get(filed(HERE));
  if (isEmptied ?? (here && stored !== here)) {
    followConsent();
    for (const row of rows.values())
      if (consent === "denied") forget(row);
      else if (row.list !== undecided && get(row.key) === undefined) {
        if (isOwn(row) || !row.list) set(row.key, writeRow(row));
        else {
          row.isLost = true;
          row.lease = Date.now() + TOLD_MS;
          move(row, leased);
          lookLater(TOLD_MS);
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

/** Writes what has changed. @param lease until when others are to leave it alone, as of `Row` */
export const put = (row: Row, lease = row.lease): void => {
  row.lease = lease;
  restore();
  set(row.key, writeRow(row));
};

/** Stores an event for the first time: for a moment it is this document's alone. */
export const renew = (row: Row): void => {
  row.trackedAt = uptime();
  enlist(row);
  put(row, Date.now() + FIRST_LEASE_MS);
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
