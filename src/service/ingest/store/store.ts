import { createCounter } from "../../access/counter.js";
import { DAY_MS } from "../../base/times.js";
import type { Database } from "../../database/database.js";
import { newIds } from "../../database/event-id.js";
import { checkGeneration, writeAtGeneration } from "../../database/generation.js";
import { isUnavailable } from "../../database/sql-state.js";
import { BOUNDS, type Bounds, writeInTime } from "../../database/transaction-time.js";
import { HttpError } from "../../http/errors.js";
import { partsOf, shardsOf } from "./event-shards.js";
import { createGroupCommit } from "./group-commit.js";
import { makeAccounts, makeContacts } from "./make-records.js";
import { createMissingRecords, type Done } from "./missing-records.js";
import { createProbe } from "./probe.js";
import { type AtGeneration, insertEvents, type NewEvent } from "./rows.js";

/* How events get into the database: in groups, with the records that they need, each group at a generation. */

export interface EventStore {
  /** Stores an event; resolves once it is committed. */
  add(event: NewEvent): Promise<void>;
  /** Stores an event and takes it back, in one transaction: nobody sees it, and all that an event needs is tried. */
  probe(): Promise<void>;
}

export interface StoreOptions extends AtGeneration {
  /** Is a workspace there? */
  isServed(workspace: string): boolean;
  /** Is called after each commit, with the number of its events and the seconds that it took. */
  committed?(events: number, seconds: number): void;
  /** Is called for each event that makes no record, see `addressRecords`. */
  withoutRecord?(): void;
  /** Is called with the number of contacts that were made. */
  madeContacts?(contacts: number): void;
  /** Is called for each event that is left out, as its contact was erased after it. */
  leftOut?(workspace: string): void;
  /** New contacts, accounts and memberships a day of one network. Default: any number */
  addressRecords?: number;
  bounds?: Bounds;
}

export const createEventStore = (
  database: Database,
  { generation, erased, isServed, addressRecords = 0, bounds = BOUNDS, ...tell }: StoreOptions,
): EventStore => {
  const bound =
    addressRecords === 0 ? undefined : createCounter({ points: addressRecords, windowMs: DAY_MS, shared: "records" });
  const missing = createMissingRecords({ generation: generation.value, bound, ...tell });
  /** Those of contacts that are known at this generation were not erased; of the others it is asked. */
  const withoutErased = async (events: readonly NewEvent[]): Promise<NewEvent[]> => {
    const erasedAt = await erased.of(events.filter((event) => !missing.isKnown(event)));
    return events.filter((event) => {
      event.erasedAt = erasedAt(event);
      return event.erasedAt === undefined || !erased.isBefore(event, event.erasedAt);
    });
  };
  const { contactShard, accountShard } = shardsOf(database);
  const nodeOf = (event: NewEvent): number => contactShard(event).node;

  /**
   * Makes accounts by a transaction for each node, before the events: they lie elsewhere, and without an event they do no harm.
   *
   * @returns the failures, by the account's id
   */
  const storeAccounts = async (
    events: readonly NewEvent[],
    { done, believed }: { done: Done; believed: number },
  ): Promise<Map<string, unknown>> => {
    const failed = new Map<string, unknown>();
    const store = async (node: number, ofNode: NewEvent[]): Promise<void> => {
      const statements = partsOf(ofNode, (event) => accountShard(event).id).flatMap(([, part]) => makeAccounts(part));
      try {
        done(statements, await database.write([...statements, checkGeneration(believed)], node));
      } catch (error) {
        if (!isUnavailable(error)) throw error;
        for (const event of ofNode) failed.set(accountOf(event), error);
      }
    };
    await Promise.all(partsOf(events, (event) => accountShard(event).node).map((part) => store(...part)));
    return failed;
  };

  /** Stores what may be stored at a generation. @returns the failures of those that are left out */
  const commitAt = async (
    believed: number,
    all: readonly NewEvent[],
    node: number,
  ): Promise<Map<NewEvent, unknown>> => {
    const began = performance.now();
    const failed = new Map<NewEvent, unknown>();
    for (const event of all) if (!isServed(event.workspace)) failed.set(event, notServed());
    const served = all.filter((event) => !failed.has(event));
    const notErased = await withoutErased(served);
    const { accounts, contacts, without, done } = missing.of(notErased);
    for (const event of notErased) event.isUnlisted = without.has(event) && event.accountUid ? true : undefined;
    if (accounts.length > 0) {
      const away = await storeAccounts(accounts, { done, believed });
      for (const event of notErased) if (away.has(accountOf(event))) failed.set(event, away.get(accountOf(event)));
    }
    const events = notErased.filter((event) => !failed.has(event));
    if (events.length > 0) {
      const ids = newIds(events.length);
      const idOf = new Map(events.map((event, at) => [event, ids[at]!]));
      const statements = partsOf(events, (event) => contactShard(event).id).flatMap(([, part]) => [
        ...makeContacts(part.filter((event) => contacts.has(event))),
        ...insertEvents(
          part.map((event) => idOf.get(event)!),
          part,
        ),
      ]);
      const written = await writeInTime(database, statements, { oldest: ids[0]!, bounds, node, generation: believed });
      done(statements, written);
      const stored = new Set(written.flatMap((rows) => rows.map(({ id }) => id)));
      for (const [event, id] of idOf) if (!stored.has(id)) event.onRepeat?.();
      tell.committed?.(events.length, (performance.now() - began) / 1_000);
    }
    const kept = new Set(notErased);
    for (const event of served) if (!kept.has(event)) tell.leftOut?.(event.workspace);
    return failed;
  };
  const commit = (all: NewEvent[], node: number) =>
    writeAtGeneration(generation, (believed) => commitAt(believed, all, node));
  return {
    add: createGroupCommit(commit, {
      sizeOf: ({ params, contactUid, eventUid }) => params.length + contactUid.length + eventUid.length,
      laneOf: nodeOf,
    }),
    probe: createProbe(database, bounds, nodeOf),
  };
};

/** A body may take its time, and its workspace be deleted meanwhile. */
const notServed = () => new HttpError(401, "the API token is wrong");

/** Stands for the account of an event. Names of workspaces hold no slash. */
const accountOf = ({ workspace, accountUid }: NewEvent): string => `${workspace}/${accountUid}`;
