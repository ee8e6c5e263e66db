import { setTimeout as sleep } from "node:timers/promises";
import type { Query } from "./database.js";
import { createSettled } from "./settled.js";
import type { State } from "./tasks.js";
import { BOUNDS, type Bounds } from "./transaction-time.js";

/*
 * Processes share nothing but the database, and remember some of it. Whoever deletes something, or changes who may ask,
 * moves a number there, which each process reads every second.
 */

const GENERATION = "generation";

export interface Generation {
  /** The number; `undefined` where it could not be read lately, so that nothing that is remembered may be believed. */
  value(): number | undefined;
  /** Resolves when nothing is read any more. */
  stop(): Promise<void>;
}

export interface Following {
  /** Is called at the beginning, and when the number has moved: it learns anew what it remembers. */
  moved(): Promise<void>;
  /** Is called with all that was read, and the clock of the database. */
  seen(state: State, now: number): void;
  bounds?: Bounds;
}

/** Reads the number again and again, with all else that processes tell each other by the database. */
export const followGeneration = async (
  query: Query,
  { moved, seen: tell, bounds: { reread } = BOUNDS }: Following,
): Promise<Generation> => {
  let seen: number | undefined;
  let readAt = 0;
  const read = async (): Promise<void> => {
    const at = performance.now();
    const rows = await query<Record<string, unknown>>(
      "SELECT name, value, extract(epoch FROM clock_timestamp()) * 1000 AS now FROM service_state",
    );
    const state: State = new Map(rows.map(({ name, value }) => [String(name), Number(value)]));
    const value = state.get(GENERATION) ?? 0;
    if (value !== seen) await moved();
    [seen, readAt] = [value, at];
    tell(state, Number(rows[0]?.now ?? Date.now()));
  };
  await read();
  const stopping = new AbortController();
  const reading = (async () => {
    // Where the database is away, nobody is told here: those who need it are.
    while (await sleep(reread, true, { ref: false, signal: stopping.signal }).catch(() => false))
      await read().catch(() => {});
  })();
  return {
    value: () => (performance.now() - readAt < 2 * reread ? seen : undefined),
    stop: () => {
      stopping.abort();
      return reading;
    },
  };
};

/** Moves the number; what is changed in the same transaction is seen with it. */
export const moveGeneration = async (query: Query): Promise<void> => {
  await query(
    `INSERT INTO service_state (name, value) VALUES ($1, 1)
     ON CONFLICT (name) DO UPDATE SET value = service_state.value + 1`,
    [GENERATION],
  );
};

/** Milliseconds between two looks whether a transaction has ended. */
const LOOK_MS = 50;

/**
 * To be called after the number was moved: resolves when each process has forgotten what it remembered before, and what
 * it had begun until then has ended.
 */
export const afterAllHaveRead = async (query: Query, bounds: Bounds = BOUNDS): Promise<void> => {
  await sleep(2 * bounds.reread);
  const [{ now }] = (await query<{ now: unknown }>("SELECT extract(epoch FROM clock_timestamp()) * 1000 AS now")) as [
    { now: unknown },
  ];
  const ended = createSettled(query, { ...bounds, first: 0, last: 0, settled: 0 });
  // None of ours lasts longer.
  const until = performance.now() + bounds.last;
  while ((await ended()) < Number(now) && performance.now() < until) await sleep(LOOK_MS);
};
