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
