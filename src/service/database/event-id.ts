import { randomFillSync } from "node:crypto";
import { v7 } from "uuid";
import { StartError } from "../base/start-error.js";
import type { Database, Query, Statement, Written } from "./database.js";
import { unmoved } from "./generation.js";
import { errorCode } from "./sql-state.js";

/*
 * Ids of events are UUIDs of version 7 (RFC 9562 §5.7): they sort by time, and no counter that all processes share is
 * needed. They are minted just before the transaction that stores them, so that what is older than a transaction can
 * last is settled.
 */

const LAST_TIME = 2 ** 48 - 1;

/** Milliseconds by which an id is minted behind the receipt of its event, at most. */
export const LATE_MS = 3_600_000;

/** The lowest id of a time. @param milliseconds since 1970 */
export const idAt = (milliseconds: number): string => {
  const hex = Math.min(Math.max(0, Math.floor(milliseconds)), LAST_TIME)
    .toString(16)
    .padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
};

/** Milliseconds since 1970 in an id. */
export const timeOf = (id: string): number => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);

/**
 * Milliseconds by which a clock may be set back without an effect: ids go on by the time that has really passed, so that
 * none is below what somebody has read already. A clock that is set back by more was wrong before, and is followed.
 */
export const SET_BACK_MS = 300_000;

/** What the clock shows beside the time since this process began: rises where it is set forward. */
let base = Number.NEGATIVE_INFINITY;
let time = 0;
let count = 0;

const now = (): number => {
  const shown = Date.now() - performance.now();
  if (shown > base || shown < base - SET_BACK_MS) base = shown;
  return Math.floor(base + performance.now());
};

/** Chance for the next batches: asked for one by one it takes longer than all else that makes an id. */
const chance = Buffer.alloc(4_096);
let used = chance.length;

/** Ids for a batch, in their order; they rise from batch to batch. */
export const newIds = (amount: number): string[] => {
  const at = now();
  if (at !== time) [time, count] = [at, 0];
  if (used === chance.length) used = randomFillSync(chance).length - chance.length;
  const random = chance.subarray(used, used + 16);
  used += 16;
  return Array.from({ length: amount }, () => v7({ msecs: time, seq: count++, random }));
};

/** Goes on behind the newest id of a workspace: the clock may have been set back before this process began. */
export const continueIds = async (query: Query, workspace: string): Promise<void> => {
  for (const table of ["events", "deletions"]) {
    const newest = `SELECT id FROM ${table} WHERE workspace = $1 ORDER BY id DESC LIMIT 1`;
    for (const { id } of await query<{ id: string }>(newest, [workspace])) {
      const behind = timeOf(id) + 1 - performance.now();
      if (behind > base && behind <= Date.now() - performance.now() + SET_BACK_MS) base = behind;
    }
  }
};

/** Milliseconds, by the database's clock, behind the oldest id of a transaction. */
export interface Bounds {
  /** Until then its first statement must have begun: what waits longer for a connection is refused. */
  first: number;
  /** Until then its last one: longer than the database gives a statement. */
  last: number;
  /** From then on it is settled: the commit itself may take the rest, as when a disk stalls. */
  settled: number;
  /** How often a process reads the generation. */
  reread: number;
  /** Events of a step of the counts by days; tests have few. */
  step?: number;
}

export const BOUNDS: Bounds = { first: 10_000, last: 20_000, settled: 60_000, reread: 1_000 };

/** A division by zero where the database's clock is not within the bounds: `now()` would stand still in a transaction. */
const CHECK =
  "SELECT 1 / CASE WHEN clock_timestamp() BETWEEN to_timestamp($1) AND to_timestamp($2) THEN 1 ELSE 0 END AS in_time";
const OUT_OF_TIME = "22012";
const CHECK_ALL = CHECK.replace("SELECT ", `SELECT ${unmoved("$3")} AS unmoved, `);

/** The clock of this process may be behind the database's by `first`, and be ahead by what it may be set back. */
const check = (oldest: string, bound: number, generation?: number): Statement => {
  const at = timeOf(oldest);
  const values = [(at - SET_BACK_MS - BOUNDS.first) / 1_000, (at + bound) / 1_000];
  if (generation === undefined) return { name: "check_time", text: CHECK, values };
  return { name: "check_time_and_generation", text: CHECK_ALL, values: [...values, generation] };
};

const explain = (error: unknown): never => {
  if (errorCode(error) !== OUT_OF_TIME) throw error;
  const text = "a transaction took too long, or the clocks of this machine and the database's differ by over 10 s";
  throw Object.assign(new Error(text), { code: OUT_OF_TIME });
};

/**
 * Writes in one transaction whose first and last statement check its time.
 *
 * @param oldest its lowest id
 * @param node see `Database.write`
 * @param generation at which alone it is committed, see `writeAtGeneration`
 */
export const writeInTime = async (
  database: Database,
  statements: readonly Statement[],
  { oldest, bounds, node, generation }: { oldest: string; bounds: Bounds; node?: number; generation?: number },
): Promise<Written> => {
  const all = [check(oldest, bounds.first), ...statements, check(oldest, bounds.last, generation)];
  return (await database.write(all, node).catch(explain)).slice(1, -1);
};

/** The same of a transaction in which one statement depends on another. */
export const transactInTime = <T>(
  database: Database,
  work: (query: Query, id: string) => Promise<T>,
  { bounds = BOUNDS, generation }: { bounds?: Bounds; generation?: number } = {},
): Promise<T> =>
  database
    .transaction(async (query) => {
      const [id] = newIds(1) as [string];
      const ask = ({ text, values }: Statement) => query(text, values);
      await ask(check(id, bounds.first));
      const result = await work(query, id);
      await ask(check(id, bounds.last, generation));
      return result;
    })
    .catch(explain);

/**
 * Up to which time all events are there, in epoch milliseconds: who reads on from an id up to there misses nothing and
 * repeats nothing, whoever commits in which order.
 *
 * A transaction says by itself that its last statement is not over 20 s behind its oldest id, so
 * only its commit can take longer. The rest of a minute is left for that, and one that is still open then is seen: an
 * open one began at most 10 s behind its oldest id; a prepared one was at most 20 s behind it, and 10 s idle.
 */
export type Settled = () => Promise<number>;

/** Of one node. Open transactions are asked for first: they become prepared ones, not vice versa. */
const ofNode = ({ first, last, settled }: Bounds) => `SELECT CASE WHEN pg_is_in_recovery() THEN NULL ELSE least(
  (SELECT extract(epoch FROM min(xact_start)) * 1000 - ${first} FROM pg_stat_activity
   WHERE datname = current_database() AND backend_type = 'client backend' AND backend_xid IS NOT NULL),
  (SELECT extract(epoch FROM min(prepared)) * 1000 - ${first + last} FROM pg_prepared_xacts
   WHERE database = current_database()),
  extract(epoch FROM clock_timestamp()) * 1000 - ${settled}) END AS result`;

/** Which node of a cluster answers; nothing where there is no cluster. The coordinator is 0. */
export const askNode = async (query: Query): Promise<number | undefined> => {
  const [asked] = await query<{ cluster: boolean }>("SELECT to_regclass('pg_dist_local_group') IS NOT NULL AS cluster");
  if (!asked!.cluster) return undefined;
  const [node] = await query<{ id: unknown }>("SELECT groupid AS id FROM pg_dist_local_group");
  return Number(node?.id ?? 0);
};

/** What each node says of itself: with Citus, transactions are open on all of its nodes. @param sql one row, its column `result` */
export const askNodes = async (query: Query, sql: string): Promise<(string | null)[]> => {
  const isCluster = (await askNode(query)) !== undefined;
  const nodes = await query<{ success?: boolean; result: string | null }>(
    isCluster ? "SELECT success, result FROM run_command_on_all_nodes($1)" : sql,
    isCluster ? [sql] : [],
  );
  const silent = nodes.find(({ success }) => success === false);
  if (silent !== undefined) throw new Error(`a node of the database does not answer: ${silent.result}`);
  return nodes.map(({ result }) => result);
};

const ask = async (query: Query, bounds: Bounds): Promise<number> => {
  const results = await askNodes(query, ofNode(bounds));
  if (results.some((result) => !result))
    throw Object.assign(new StartError("a standby cannot tell which events are settled: connect to the primary"), {
      code: "25006",
    });
  return Math.min(Date.now() - bounds.settled, ...results.map(Number));
};

/** The role, where it sees no transactions of others that may store events: it would take what they are about to commit for settled. */
const BLIND = `SELECT current_user AS role WHERE NOT pg_has_role('pg_read_all_stats', 'USAGE')
  AND (NOT has_table_privilege('events', 'INSERT')
    OR EXISTS (SELECT 1 FROM pg_roles WHERE rolcanlogin AND NOT rolsuper
               AND has_table_privilege(oid, 'events', 'INSERT') AND NOT pg_has_role(oid, 'USAGE')))`;

const requireSight = async (query: Query): Promise<void> => {
  const [blind] = await query<{ role: string }>(BLIND);
  if (blind !== undefined)
    throw new StartError(
      `the role ${blind.role} cannot see the transactions of others, and would miss what they commit: GRANT pg_read_all_stats TO ${blind.role}`,
    );
};

/** Tells it, again and again. A clock that is set forward is believed once a minute has really passed. */
export const createSettled = (query: Query, bounds: Bounds = BOUNDS): Settled => {
  /** What was told beside the time that had really passed, in the last minute, and once before. */
  let told: { at: number; beside: number }[] = [];
  return async () => {
    if (told.length === 0) await requireSight(query);
    const settled = await ask(query, bounds);
    const at = performance.now();
    told.push({ at, beside: settled - at });
    while (told.length > 1 && told[1]!.at < at - bounds.settled) told = told.slice(1);
    return Math.floor(at + Math.min(...told.map(({ beside }) => beside)));
  };
};
