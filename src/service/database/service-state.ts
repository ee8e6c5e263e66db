import type { Query } from "./database.js";

/* What all processes and commands know together, by name: numbers of `service_state`. */

/** By the database, as all processes see the same clock; in epoch milliseconds. */
export const readClock = async (query: Query): Promise<number> =>
  (await query<State>("SELECT floor(extract(epoch FROM clock_timestamp()) * 1000) AS now"))[0]!.now;

/** All of them, and the clock as `now`. */
export interface State {
  now: number;
  [name: string]: number | undefined;
}

export const readState = async (query: Query): Promise<State> => {
  const rows = await query<{ name: string; value: number }>(
    `SELECT name, value FROM service_state
     UNION ALL SELECT 'now', floor(extract(epoch FROM clock_timestamp()) * 1000)`,
  );
  return Object.fromEntries(rows.map(({ name, value }) => [name, value])) as State;
};

export const writeState = async (query: Query, values: Record<string, number>): Promise<void> => {
  for (const [name, value] of Object.entries(values))
    await query(
      `INSERT INTO service_state (name, value) VALUES ($1, $2)
       ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
      [name, value],
    );
};

/* Texts that a database keeps for ever, also where it is restored or moved: those of `service_keys`. */

export const readKey = async (query: Query, name: string): Promise<string | undefined> =>
  (await query<{ value: string }>("SELECT value FROM service_keys WHERE name = $1", [name]))[0]?.value;

/** The text of a name. The first call makes it. */
export const keyNamed = async (query: Query, name: string, made: string): Promise<string> => {
  await query("INSERT INTO service_keys (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING", [name, made]);
  return (await readKey(query, name))!;
};
