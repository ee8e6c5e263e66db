import type { Database } from "../database/database.js";
import { newIds } from "../database/event-id.js";
import { BOUNDS, type Bounds, writeInTime } from "../database/transaction-time.js";
import { createBound } from "./bound.js";
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

const DAY_MS = 86_400_000;

export interface StoreOptions {
  /** Is called after each commit, with the number of its events and the seconds that it took. */
  committed(events: number, seconds: number): void;
  /** Is called for each event that makes no record, see `addressRecords`. */
  withoutRecord(): void;
  /** New contacts, accounts and memberships a day of one network. */
  addressRecords: number;
  bounds?: Bounds;
  /** See `generation.ts`. Default: nobody else deletes anything. */
  generation?: () => number | undefined;
}

export const createEventStore = (
  database: Database,
  { committed, withoutRecord, addressRecords, bounds = BOUNDS, generation }: StoreOptions,
): EventStore => {
  const missing = createMissingRecords({
    generation,
    bound: createBound(addressRecords, DAY_MS),
    onPassed: withoutRecord,
  });
  const commit: Commit<NewEvent> = async (events) => {
    const began = performance.now();
    const records = missing(events);
    const ids = newIds(events.length);
    const statements = [...records.statements, insertEvents(ids, events)];
    records.done(await writeInTime(database, statements, { oldest: ids[0]!, bounds }));
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
