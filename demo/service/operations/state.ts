import type { Query } from "../database/database.js";

/** What all processes know together, by name: numbers of `service_state`. */
export const readState = async (query: Query): Promise<Partial<Record<string, number>>> => {
  const rows = await query<{ name: string; value: unknown }>("SELECT name, value FROM service_state");
  return Object.fromEntries(rows.map(({ name, value }) => [name, Number(value)]));
};

/** Stores values; one that is `undefined` is taken out. */
export const writeState = async (query: Query, values: Record<string, number | undefined>): Promise<void> => {
  for (const [name, value] of Object.entries(values))
    await (value === undefined
      ? query("DELETE FROM service_state WHERE name = $1", [name])
      : query(
          `INSERT INTO service_state (name, value) VALUES ($1, $2)
           ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
          [name, Math.floor(value)],
        ));
};
