import { StartError } from "../base/start-error.js";
import type { Database, Query, Statement, Written } from "./database.js";
import { newIds, SET_BACK_MS, timeOf } from "./event-id.js";
import { unmoved } from "./generation.js";
import { errorCode } from "./sql-state.js";

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
 * Writes in one transaction whose first and last statement check its time, see `settled.ts`.
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

/** With Citus, transactions are open on all of its nodes. */
const IS_CLUSTER = "SELECT to_regproc('run_command_on_all_nodes') IS NOT NULL AS cluster";
const OF_ALL_NODES = "SELECT success, result FROM run_command_on_all_nodes($1)";

/** What each node says of itself. @param sql one row, its column `result` */
export const askNodes = async (query: Query, sql: string): Promise<(string | null)[]> => {
  const [isCluster] = await query<{ cluster: boolean }>(IS_CLUSTER);
  const nodes = await (isCluster!.cluster
    ? query<{ success?: boolean; result: string | null }>(OF_ALL_NODES, [sql])
    : query<{ success?: boolean; result: string | null }>(sql));
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
