import { isOfUnit, onUnit, tellUnit } from "../config/unit-messages.js";

/** Keys that are counted each for itself. */
const MAX_KEYS = 100_000;
/** The part of what a key may use that a process counts before it tells the others of its unit. */
const TOLD = 0.01;

export interface Counter {
  /** Milliseconds until a key may use so much more; 0 where it may now. */
  wait(key: string, points: number): number;
  used(key: string): number;
  /** Negative points are given back. */
  add(key: string, points: number): void;
}

interface CounterOptions {
  /** What a key may use in each window. */
  points: number;
  /** Milliseconds after which the next window begins, for all keys at once. */
  windowMs: number;
  /** Windows whose unused points are carried on. Default: none */
  saved?: number;
  maxKeys?: number;
  /** Under which the processes of a unit count together. Default: each for itself */
  shared?: string;
  /** Milliseconds of a clock that is never set. */
  now?: () => number;
}

/**
 * Counts what keys use, in bounded memory: where there are too many keys the smaller half of the counts
 * goes, and a key without a count begins at the largest that went. So a count is never too low, one that matters stays, and
 * none is too high by more than all that was counted, shared among half of the keys.
 *
 * Processes of a unit tell each other what a key has used in hundredths of what it may: so of all together it gets no more
 * than a hundredth too much for each of the others, and a key that uses little costs no message.
 */
export const createCounter = ({
  points: most,
  windowMs,
  saved = 0,
  maxKeys = MAX_KEYS,
  shared,
  now = () => performance.now(),
}: CounterOptions): Counter => {
  const counts = new Map<string, number>();
  const untold = new Map<string, number>();
  let gone = 0;
  let began = now();

  /** Gives what a window brings. */
  const turn = (): void => {
    const passed = Math.floor((now() - began) / windowMs);
    if (passed < 1) return;
    began += passed * windowMs;
    gone = 0;
    untold.clear();
    if (saved === 0) counts.clear();
    else for (const [key, used] of counts) counts.set(key, Math.max(used - passed * most, -saved * most));
  };
  const makeRoom = (): void => {
    const sorted = Float64Array.from(counts.values()).sort();
    const middle = sorted[sorted.length >> 1]!;
    for (const [key, used] of counts) if (used <= middle) counts.delete(key);
    gone = Math.max(gone, middle);
  };
  const used = (key: string): number => {
    turn();
    return counts.get(key) ?? gone;
  };
  const count = (key: string, points: number): void => {
    const sum = used(key) + points;
    if (counts.size >= maxKeys && !counts.has(key)) makeRoom();
    counts.set(key, sum);
  };
  const tell = (counter: string, key: string, points: number): void => {
    const sum = (untold.get(key) ?? 0) + points;
    if (untold.size >= maxKeys) untold.clear();
    if (Math.abs(sum) < most * TOLD) return void untold.set(key, sum);
    untold.delete(key);
    tellUnit({ kind: "counted", counter, key, points: sum });
  };
  onUnit("counted", ({ counter, key, points }) => {
    if (counter === shared) count(key, points);
  });
  return {
    used,
    wait: (key, points) => (used(key) + points > most ? began + windowMs - now() : 0),
    add: (key, points) => {
      count(key, points);
      if (isOfUnit && shared !== undefined) tell(shared, key, points);
    },
  };
};
