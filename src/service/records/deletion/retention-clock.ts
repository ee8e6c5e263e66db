import { DAY_MS } from "../../base/times.js";
import type { Query } from "../../database/database.js";
import { SET_BACK_MS, timeOf } from "../../database/event-id.js";

/** What the clock may be ahead of the time that is known to have passed; the service may have stood still as long. */
const AHEAD_MS = 2 * DAY_MS;
/** Time for which a clock that was doubted must go right. */
const AGREED_MS = 7 * DAY_MS;
/** Time by which a run goes further than the last one, at most: what a wrong clock deletes is seen in time. */
const STEP_MS = 2 * DAY_MS;

/** Names in `service_state`, all of epoch milliseconds. */
const [LOOKED, DOUBTED, BEFORE] = ["retention_looked", "retention_doubted", "retention_before"] as const;

export interface Look {
  /** Whose events. */
  workspaces: readonly string[];
  /** Age in milliseconds from which events are deleted. */
  age: number;
  /** Milliseconds that have really passed since this process looked last; 0 where it has not. */
  passed: number;
}

/**
 * Before what time events may be deleted now, or why none may. A clock that is wrong would delete everything: it is
 * compared with that of the last look, or, before the first one, with the newest event.
 */
export const judgeClock = async (
  query: Query,
  { workspaces, age, passed }: Look,
): Promise<{ before: number } | { doubt: string }> => {
  const now = Date.now();
  const state = await readState(query);
  const last = state[LOOKED] ?? (await timeOfEvent(query, workspaces, "DESC")) ?? now;
  const isRight = now >= last - SET_BACK_MS && now - last <= passed + AHEAD_MS;
  const doubted = isRight ? state[DOUBTED] : now;
  if (doubted !== undefined && now - doubted < AGREED_MS) {
    await writeState(query, { [LOOKED]: now, [DOUBTED]: doubted });
    return {
      doubt: `the clock shows ${told(now)}, ${isRight ? "and was doubted at" : "but showed"} ${told(isRight ? doubted : last)}`,
    };
  }
  const from = state[BEFORE] ?? (await timeOfEvent(query, workspaces, "ASC")) ?? now;
  const before = Math.min(now - age, from + STEP_MS);
  await writeState(query, { [LOOKED]: now, [DOUBTED]: undefined, [BEFORE]: before });
  return { before };
};

/** Says that the clock is right; resolves to what it shows. */
export const confirmClock = async (query: Query): Promise<string> => {
  const now = Date.now();
  await writeState(query, { [LOOKED]: now, [DOUBTED]: undefined });
  return told(now);
};

const told = (time: number): string => new Date(time).toISOString();

/** That of the newest or the oldest event, in epoch milliseconds. */
const timeOfEvent = async (query: Query, workspaces: readonly string[], order: "ASC" | "DESC") => {
  const times: number[] = [];
  for (const workspace of workspaces)
    for (const { id } of await query<{ id: string }>(
      `SELECT id FROM events WHERE workspace = $1 ORDER BY id ${order} LIMIT 1`,
      [workspace],
    ))
      times.push(timeOf(id));
  if (times.length === 0) return undefined;
  return order === "ASC" ? Math.min(...times) : Math.max(...times);
};

/** What all processes know together, by name: numbers of `service_state`. */
const readState = async (query: Query): Promise<Partial<Record<string, number>>> => {
  const rows = await query<{ name: string; value: unknown }>("SELECT name, value FROM service_state");
  return Object.fromEntries(rows.map(({ name, value }) => [name, Number(value)]));
};

/** Stores values; one that is `undefined` is taken out. */
const writeState = async (query: Query, values: Record<string, number | undefined>): Promise<void> => {
  for (const [name, value] of Object.entries(values))
    await (value === undefined
      ? query("DELETE FROM service_state WHERE name = $1", [name])
      : query(
          `INSERT INTO service_state (name, value) VALUES ($1, $2)
           ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
          [name, Math.floor(value)],
        ));
};
