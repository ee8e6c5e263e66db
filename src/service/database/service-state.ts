import type { Query } from "./database.js";

/* What all processes and commands know together, by name: numbers of `service_state`. */

/** By the database, as all processes see the same clock; in epoch milliseconds. */
export const readClock = async (query: Query): Promise<number> =>
  Math.floor(Number((await query("SELECT extract(epoch FROM clock_timestamp()) * 1000 AS now"))[0]!.now));

/** All of them, and the clock as `now`. */
export interface State {
  now: number;
  [name: string]: number | undefined;
}

export const readState = async (query: Query): Promise<State> => {
  const rows = await query<{ name: string; value: unknown }>(
    `SELECT name, value FROM service_state
     UNION ALL SELECT 'now', floor(extract(epoch FROM clock_timestamp()) * 1000)`,
  );
  return Object.fromEntries(rows.map(({ name, value }) => [name, Number(value)])) as unknown as State;
};

export const writeState = async (query: Query, values: Record<string, number>): Promise<void> => {
  for (const [name, value] of Object.entries(values))
    await query(
      `INSERT INTO service_state (name, value) VALUES ($1, $2)
       ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
      [name, value],
    );
};
