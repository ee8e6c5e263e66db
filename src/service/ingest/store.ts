import { createCounter } from "../access/counter.js";
import { recordId } from "../base/exact-text.js";
import { DAY_MS } from "../base/times.js";
import type { Database, Shard } from "../database/database.js";
import { newIds } from "../database/event-id.js";
import { isUnavailable } from "../database/sql-state.js";
import { BOUNDS, type Bounds, writeInTime } from "../database/transaction-time.js";
import { createGroupCommit } from "./group-commit.js";
import { createMissingRecords, type Done, makeAccounts, makeContacts } from "./missing-records.js";
import { insertEvents, type NewEvent } from "./rows.js";

export interface EventStore {
  /** Stores an event; resolves once it is committed. */
  add(event: NewEvent): Promise<void>;
  /** Stores an event and takes it back, in one transaction: nobody sees it, and all that an event needs is tried. */
  probe(): Promise<void>;
}

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
  const shardOf = (kind: "account" | "contact", uid: string, workspace: string): Shard =>
    database.shardOf?.(recordId(kind, uid, workspace)) ?? WHOLE;
  const contactShard = ({ workspace, contactUid }: NewEvent) => shardOf("contact", contactUid, workspace);
  const accountShard = ({ workspace, accountUid }: NewEvent) => shardOf("account", accountUid!, workspace);

  /**
   * Makes accounts by a transaction for each node, before the events: they lie elsewhere, and without an event they do no harm.
   *
   * @returns the failures, by the account's id
   */
  const storeAccounts = async (events: readonly NewEvent[], done: Done): Promise<Map<string, unknown>> => {
    const failed = new Map<string, unknown>();
    const store = async (node: number, ofNode: NewEvent[]): Promise<void> => {
      const statements = partsOf(ofNode, (event) => accountShard(event).id).flatMap(([, part]) => makeAccounts(part));
      try {
        done(statements, await database.write(statements, node));
      } catch (error) {
        if (!isUnavailable(error)) throw error;
        for (const event of ofNode) failed.set(accountOf(event), error);
      }
    };
    await Promise.all(partsOf(events, (event) => accountShard(event).node).map((part) => store(...part)));
    return failed;
  };

  const commit = async (all: NewEvent[], node: number): Promise<Map<NewEvent, unknown>> => {
    const began = performance.now();
    const failed = new Map<NewEvent, unknown>();
    let events = await withoutErased(all);
    const { accounts, contacts, done } = missing(events);
    if (accounts.length > 0) {
      const away = await storeAccounts(accounts, done);
      for (const event of events) if (away.has(accountOf(event))) failed.set(event, away.get(accountOf(event)));
      // Time has passed.
      events = await withoutErased(events.filter((event) => !failed.has(event)));
    }
    if (events.length === 0) return failed;
    const ids = newIds(events.length);
    const idOf = new Map(events.map((event, at) => [event, ids[at]!]));
    const statements = partsOf(events, (event) => contactShard(event).id).flatMap(([, part]) => [
      ...makeContacts(part.filter((event) => contacts.has(event))),
      ...insertEvents(
        part.map((event) => idOf.get(event)!),
        part,
      ),
    ]);
    const written = await writeInTime(database, statements, { oldest: ids[0]!, bounds, node });
    done(statements, written);
    const stored = new Set(written.flatMap((rows) => rows.map(({ id }) => id)));
    for (const [event, id] of idOf) if (!stored.has(id)) event.onRepeat?.();
    committed(events.length, (performance.now() - began) / 1_000);
    return failed;
  };
  /** By their nodes: one that gives no answer is not asked again meanwhile. */
  const probing = new Map<number, Promise<void>>();
  const probe = async (node: number, event: NewEvent): Promise<void> => {
    const ids = newIds(1);
    const contact = recordId("contact", event.contactUid, event.workspace);
    const statements = [...insertEvents(ids, [event]), { ...TAKE_BACK, values: [contact, ...ids] }];
    await writeInTime(database, statements, { oldest: ids[0]!, bounds, node });
  };
  return {
    add: createGroupCommit(commit, {
      sizeOf: ({ params, contactUid, eventUid }) => params.length + contactUid.length + eventUid.length,
      laneOf: (event) => contactShard(event).node,
    }),
    probe: async () => {
      const nodes = new Map(PROBES.map((event) => [contactShard(event).node, event]));
      for (const [node, event] of nodes)
        if (!probing.has(node))
          probing.set(
            node,
            probe(node, event).finally(() => probing.delete(node)),
          );
      // What another node cannot do now is answered with 503, and holds up nothing here.
      await Promise.any([...nodes.keys()].map((node) => probing.get(node))).catch(({ errors }: AggregateError) => {
        throw errors[0];
      });
    },
  };
};

const TAKE_BACK = { name: "remove_probe", text: "DELETE FROM events WHERE contact_id = $1 AND id = $2" };

/** What is not spread. */
const WHOLE: Shard = { id: 0, node: 0 };

/** Events by a number, in its order. */
const partsOf = (events: readonly NewEvent[], numberOf: (event: NewEvent) => number): [number, NewEvent[]][] => {
  const parts = new Map<number, NewEvent[]>();
  for (const event of events) {
    const number = numberOf(event);
    const part = parts.get(number);
    if (part === undefined) parts.set(number, [event]);
    else part.push(event);
  }
  return [...parts].sort(([a], [b]) => a - b);
};

/** Stands for the account of an event. Names of workspaces hold no slash. */
const accountOf = ({ workspace, accountUid }: NewEvent): string => `${workspace}/${accountUid}`;

/** They belong to nobody, and lie on all nodes, if there are several. */
const PROBES = Array.from(
  { length: 32 },
  (_, number): NewEvent => ({
    workspace: "",
    contactUid: String(number),
    accountUid: undefined,
    eventUid: "",
    params: "{}",
    stamp: undefined,
    receivedAt: 0,
    occurredAt: undefined,
  }),
);
