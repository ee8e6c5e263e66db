import { againAndAgain } from "../base/times.js";
import type { Query, Statement } from "./database.js";
import { readState, type State } from "./service-state.js";
import { errorCode, repeated } from "./sql-state.js";

/*
 * Processes share nothing but the database, and remember some of it. Whoever deletes something, or changes who may ask, moves a
 * number there. A process reads it every second, and no transaction that stores is committed where it has moved.
 */

const GENERATION = "generation";

export interface Generation {
  /** The number that was read last. */
  value(): number;
  read(): Promise<void>;
}

interface Following {
  /** Is called at the beginning, and when the number has moved: it learns anew what is remembered. */
  moved(): Promise<void>;
  /** Is called with all that processes tell each other by the database. */
  seen?(state: State): void;
}

export const createGeneration = async (query: Query, { moved, seen: tell }: Following): Promise<Generation> => {
  let seen: number | undefined;
  let reading: Promise<void> | undefined;
  const read = async (): Promise<void> => {
    const state = await readState(query);
    const value = state[GENERATION] ?? 0;
    if (value !== seen) await moved();
    seen = value;
    tell?.(state);
  };
  const generation = {
    value: () => seen!,
    read: () => {
      reading ??= read().finally(() => {
        reading = undefined;
      });
      return reading;
    },
  };
  await generation.read();
  return generation;
};

/** The same, read again and again. @param every milliseconds between two readings */
export const rereadGeneration = async (
  query: Query,
  following: Following,
  every: number,
): Promise<Generation & { stop(): Promise<void> }> => {
  const generation = await createGeneration(query, following);
  return { ...generation, stop: againAndAgain(generation.read, () => every) };
};

/** Moves the number; what is changed in the same transaction is seen with it. */
export const moveGeneration = async (query: Query): Promise<void> => {
  await query(
    `INSERT INTO service_state (name, value) VALUES ($1, 1)
     ON CONFLICT (name) DO UPDATE SET value = service_state.value + 1`,
    [GENERATION],
  );
};

/** An expression that fails where the number is another one: the root of a negative number. @param believed as in `$1` */
export const unmoved = (believed: string): string =>
  `sqrt(CASE WHEN coalesce((SELECT value FROM service_state WHERE name = '${GENERATION}'), 0) = ${believed} THEN 1 ELSE -1 END)`;

/** Fails where the number is another one, and its transaction with it. */
export const checkGeneration = (believed: number): Statement => ({
  name: "check_generation",
  text: `SELECT ${unmoved("$1")} AS unmoved`,
  values: [believed],
});

export const isMoved = (error: unknown): boolean => errorCode(error) === "2201F";

/** Runs a transaction that is committed only at a generation, anew where that is no longer the one. */
export const writeAtGeneration = <T>(generation: Generation, write: (believed: number) => Promise<T>): Promise<T> =>
  repeated(
    () =>
      write(generation.value()).catch(async (error: unknown) => {
        if (isMoved(error)) await generation.read();
        throw error;
      }),
    isMoved,
  ).catch((error: unknown) => {
    if (!isMoved(error)) throw error;
    throw Object.assign(new Error("the generation moves all the time"), { code: "57014" });
  });
