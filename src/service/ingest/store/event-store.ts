import { createCounter } from "../../access/limits.js";
import { recordId } from "../../base/exact-text.js";
import { DAY_MS } from "../../base/times.js";
import type { Database, Shard } from "../../database/database.js";
import { BOUNDS, type Bounds, newIds, writeInTime } from "../../database/event-id.js";
import { checkGeneration, writeAtGeneration } from "../../database/generation.js";
import { isUnavailable } from "../../database/sql-state.js";
import { HttpError } from "../../http/error-answers.js";
import type { Count } from "../schemas.js";
import {
  type AtGeneration,
  createMissingRecords,
  insertEvents,
  type Missing,
  makeAccounts,
  makeContacts,
  type NewEvent,
} from "./event-rows.js";
import { createGroupCommit } from "./group-commit.js";

const WHOLE: Shard = { id: 0, node: 0 };

/** Where the contact of an event lies, with its events, and where its account does. */
const shardsOf = (database: Database) => {
  const shardOf = (kind: "account" | "contact", uid: string, workspace: string): Shard =>
    database.shardOf?.(recordId(kind, uid, workspace)) ?? WHOLE;
  return {
    contactShard: ({ workspace, contactUid }: NewEvent) => shardOf("contact", contactUid, workspace),
    accountShard: ({ workspace, accountUid }: NewEvent) => shardOf("account", accountUid!, workspace),
  };
};

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

const TAKE_OUT = { name: "remove_probe", text: "DELETE FROM events WHERE contact_id = $1 AND id = $2" };

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

/** @param nodeOf where an event lies @returns resolves once one node has stored one, and rejects where none can */
const createProbe = (
  database: Database,
  bounds: Bounds,
  nodeOf: (event: NewEvent) => number,
): (() => Promise<void>) => {
  /** By their nodes: one that gives no answer is not asked again meanwhile. */
  const probing = new Map<number, Promise<void>>();
  const probe = async (node: number, event: NewEvent): Promise<void> => {
    const ids = newIds(1);
    const contact = recordId("contact", event.contactUid, event.workspace);
    const statements = [...insertEvents(ids, [event]), { ...TAKE_OUT, values: [contact, ...ids] }];
    await writeInTime(database, statements, { oldest: ids[0]!, bounds, node });
  };
  return async () => {
    const nodes = new Map(PROBES.map((event) => [nodeOf(event), event]));
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
  };
};

/* How events get into the database: in groups, with the records that they need, each group at a generation. */

export const REPEATED = "repeated";

export interface EventStore {
  /** Stores events; resolves, once all are settled, to why some are not stored: errors, or `REPEATED`. */
  add(events: readonly NewEvent[]): Promise<ReadonlyMap<NewEvent, unknown>>;
  /** Stores an event and takes it back, in one transaction: nobody sees it, and all that an event needs is tried. */
  probe(): Promise<void>;
}

export interface StoreOptions extends AtGeneration {
  isServed(workspace: string): boolean;
  /** Is called after each commit, with its events and the seconds that it took. */
  committed?(events: readonly NewEvent[], seconds: number): void;
  count?: Count;
  /** New contacts, accounts and memberships a day of one network. Default: any number */
  addressRecords?: number;
  bounds?: Bounds;
}

/** A transaction under way: each of its steps may take events out. */
interface Commit {
  /** The generation at which alone it is committed. */
  believed: number;
  node: number;
  events: NewEvent[];
  /** When it began, as `performance.now()` has it. */
  began: number;
  /** Of those that are not stored, why. */
  told: Map<NewEvent, unknown>;
  /** Those whose contact was erased after them: they are taken for stored. */
  leftOut: NewEvent[];
  /** Those of which something is not known. */
  unknown: NewEvent[];
  missing?: Missing<NewEvent>;
}

export const createEventStore = (
  database: Database,
  { generation, erased, isServed, addressRecords = 0, bounds = BOUNDS, ...tell }: StoreOptions,
): EventStore => {
  const bound =
    addressRecords === 0 ? undefined : createCounter({ points: addressRecords, windowMs: DAY_MS, shared: "records" });
  const missing = createMissingRecords({ generation: generation.value, bound, ...tell });
  const { contactShard, accountShard } = shardsOf(database);
  const nodeOf = (event: NewEvent): number => contactShard(event).node;
  const fail = ({ events, told }: Commit, isFailed: (event: NewEvent) => unknown): NewEvent[] =>
    events.filter((event) => {
      const error = isFailed(event);
      if (error !== undefined) told.set(event, error);
      return error === undefined;
    });

  /** A body may take its time, and its workspace be deleted meanwhile. */
  const leaveUnserved = (commit: Commit): void => {
    const wrong = () => new HttpError(401, "the API token is wrong");
    commit.events = fail(commit, ({ workspace }) => (isServed(workspace) ? undefined : wrong()));
  };

  /** Those of contacts that are known at this generation were not erased; of the others it is asked. */
  const leaveErased = async (commit: Commit): Promise<void> => {
    commit.unknown = commit.events.filter((event) => !missing.isKnown(event));
    if (commit.unknown.length === 0) return;
    const erasedAt = await erased.of(commit.unknown);
    for (const event of commit.unknown) event.erasedAt = erasedAt(event);
    const isGone = (event: NewEvent) => event.erasedAt !== undefined && erased.isBefore(event, event.erasedAt);
    commit.leftOut = commit.unknown.filter(isGone);
    if (commit.leftOut.length === 0) return;
    for (const part of ["events", "unknown"] as const) commit[part] = commit[part].filter((event) => !isGone(event));
  };

  const findMissing = (commit: Commit): void => {
    commit.missing = missing.of(commit.unknown);
    const { without } = commit.missing;
    for (const event of commit.unknown) event.isUnlisted = without.has(event) && event.accountUid ? true : undefined;
  };

  /** Makes accounts by a transaction for each node, before the events: they lie elsewhere, and without an event they do no harm. */
  const storeAccounts = async (commit: Commit): Promise<void> => {
    const { accounts, done } = commit.missing!;
    if (accounts.length === 0) return;
    const away = new Map<string, unknown>();
    const store = async (node: number, ofNode: NewEvent[]): Promise<void> => {
      const statements = partsOf(ofNode, (event) => accountShard(event).id).flatMap(([, part]) => makeAccounts(part));
      try {
        done(statements, await database.write([...statements, checkGeneration(commit.believed)], node));
      } catch (error) {
        if (!isUnavailable(error)) throw error;
        for (const event of ofNode) away.set(accountOf(event), error);
      }
    };
    await Promise.all(partsOf(accounts, (event) => accountShard(event).node).map((part) => store(...part)));
    commit.events = fail(commit, (event) => away.get(accountOf(event)));
  };

  const storeEvents = async ({ believed, events, missing, node, began, told }: Commit): Promise<void> => {
    if (events.length === 0) return;
    const { contacts, done } = missing!;
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
    for (const [event, id] of idOf) if (!stored.has(id)) told.set(event, REPEATED);
    tell.committed?.(events, (performance.now() - began) / 1_000);
  };

  const tellLeftOut = ({ leftOut }: Commit): void => {
    for (const { workspace } of leftOut) tell.count?.("events_of_erased_total", { workspace });
  };

  const steps = [leaveUnserved, leaveErased, findMissing, storeAccounts, storeEvents, tellLeftOut];
  /** Stores what may be stored at a generation. @returns why some are not stored */
  const commitAt = async (believed: number, events: NewEvent[], node: number): Promise<Map<NewEvent, unknown>> => {
    const began = performance.now();
    const commit: Commit = { believed, node, events, began, told: new Map(), leftOut: [], unknown: [] };
    for (const step of steps) await step(commit);
    return commit.told;
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

/** Stands for the account of an event. Names of workspaces hold no slash. */
const accountOf = ({ workspace, accountUid }: NewEvent): string => `${workspace}/${accountUid}`;
