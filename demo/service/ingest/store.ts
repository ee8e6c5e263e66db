import { DAY_MS } from "../config/time-argument.js";
import type { Database } from "../database/database.js";
import { newIds } from "../database/event-id.js";
import { BOUNDS, type Bounds, writeInTime } from "../database/transaction-time.js";
import { createCounter } from "../http/counter.js";
import { type Commit, createGroupCommit } from "./group-commit.js";
import { createMissingRecords } from "./missing-records.js";
import { insertEvents, type NewEvent } from "./rows.js";

export interface EventStore {
  /** Stores an event; resolves once it is committed. */
  add(event: NewEvent): Promise<void>;
  /** Stores an event and takes it back, in one transaction: nobody sees it, and all that an event needs is tried. */
  probe(): Promise<void>;
}

/** Transactions under way at a time: while the database commits one, this process prepares the next. */
const LANES = 2;

export interface StoreOptions {
  /** Is called after each commit, with the number of its events and the seconds that it took. */
  committed(events: number, seconds: number): void;
  /** Is called for each event that makes no record, see `addressRecords`. */
  withoutRecord(): void;
  /** Whose events are left out, see `tombstones.ts`. Default: nobody's */
  erased?: { load(): Promise<void>; isErased(event: NewEvent): boolean };
  /** Is called for each event that is left out so. */
  leftOut?(workspace: string): void;
  /** New contacts, accounts and memberships a day of one network. */
  addressRecords: number;
  /** See `createMissingRecords`. */
  generation?: () => number | undefined;
  bounds?: Bounds;
}

export const createEventStore = (
  database: Database,
  { committed, withoutRecord, addressRecords, generation, erased, leftOut, bounds = BOUNDS }: StoreOptions,
): EventStore => {
  const bound =
    addressRecords === 0 ? undefined : createCounter({ points: addressRecords, windowMs: DAY_MS, shared: "records" });
  const missing = createMissingRecords({ generation, bound, withoutRecord });
  /** Looked at just before they are written: so whoever erases can wait until all processes have done that. */
  const withoutErased = async (events: NewEvent[]): Promise<NewEvent[]> => {
    if (erased === undefined) return events;
    if (generation !== undefined && generation() === undefined) await erased.load();
    return events.filter((event) => {
      const isErased = erased.isErased(event);
      if (isErased) leftOut?.(event.workspace);
      return !isErased;
    });
  };
  const commit: Commit<NewEvent> = async (all) => {
    const began = performance.now();
    const events = await withoutErased(all);
    if (events.length === 0) return;
    const records = missing(events);
    const ids = newIds(events.length);
    const statements = [...records.statements, insertEvents(ids, events)];
    const written = await writeInTime(database, statements, { oldest: ids[0]!, bounds });
    records.done(written);
    const stored = new Set(written.at(-1)!.map(({ id }) => id));
    for (const [at, { onRepeat }] of events.entries()) if (!stored.has(ids[at])) onRepeat?.();
    committed(events.length, (performance.now() - began) / 1_000);
  };
  return {
    add: createGroupCommit(
      Array.from({ length: LANES }, () => commit),
      ({ params, contactUid, eventUid }) => params.length + contactUid.length + eventUid.length,
    ),
    probe: async () => {
      const ids = newIds(1);
      const take = { name: "remove_probe", text: "DELETE FROM events WHERE id = $1 AND workspace = ''", values: ids };
      await writeInTime(database, [insertEvents(ids, [PROBE]), take], { oldest: ids[0]!, bounds });
    },
  };
};

/** Belongs to nobody. */
const PROBE: NewEvent = {
  workspace: "",
  contactUid: "",
  accountUid: undefined,
  eventUid: "",
  params: "{}",
  stamp: undefined,
  receivedAt: 0,
  occurredAt: undefined,
};
