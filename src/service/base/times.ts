import { setTimeout as sleep } from "node:timers/promises";

export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;
/** Milliseconds that an event waits in a browser at most (`maxAgeMs`). */
export const LONGEST_WAIT_MS = 30 * DAY_MS;

/** What a time may be, in epoch milliseconds: up to the last year of four digits. One in micro- or nanoseconds is later. */
export const TIME = { minimum: 0, maximum: 253_402_300_799_999 } as const;
const LAST_SECOND = Math.floor(TIME.maximum / 1_000);
/** The same in seconds, of records, which may be older. */
export const SECONDS = { minimum: -LAST_SECOND, maximum: LAST_SECOND } as const;

/** Is a value a time, in epoch milliseconds? @param last the latest that it may be */
export const isTime = (value: unknown, last: number = TIME.maximum): value is number =>
  Number.isSafeInteger(value) && (value as number) >= TIME.minimum && (value as number) <= last;

const FORM = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?$/;

export const TIME_EXPECTED = "must be a day or a time such as 2026-01-31T12:00:00Z";

/**
 * A day or a time (ISO 8601) as epoch milliseconds, for commands and routes; UTC where it names no zone. `undefined` where it is
 * none, or is before 1970.
 */
export const readTime = (value: string): number | undefined => {
  const [, day, time, , , zone] = FORM.exec(value) ?? [];
  if (day === undefined) return undefined;
  const milliseconds = Date.parse(time !== undefined && zone === undefined ? `${value}Z` : value);
  // JavaScript takes February 30 for a day of March.
  return isTime(milliseconds) && new Date(Date.parse(day)).toISOString().startsWith(day) ? milliseconds : undefined;
};

/**
 * Does some work again and again, whatever it throws: those who need what it does are told.
 *
 * @param every gives the milliseconds from one time to the next
 * @returns ends that, and resolves when none of it is under way
 */
export const againAndAgain = (work: () => Promise<unknown>, every: () => number): (() => Promise<void>) => {
  const ending = new AbortController();
  const working = (async () => {
    while (await sleep(every(), true, { ref: false, signal: ending.signal }).catch(() => false))
      await work().catch(() => {});
  })();
  return () => {
    ending.abort();
    return working;
  };
};

const CALM_MS = 60_000;

/** What gives the milliseconds after which a process that has ended is started again: each end soon after a start doubles them, up to the longest. */
export const createWaits = (firstMs: number, longestMs: number): (() => number) => {
  let [wait, endedAt] = [firstMs, Number.NEGATIVE_INFINITY];
  return () => {
    const now = performance.now();
    wait = now - endedAt - wait > CALM_MS ? firstMs : Math.min(2 * wait, longestMs);
    endedAt = now;
    return wait;
  };
};
