import { DAY_MS } from "../config/time-argument.js";
import { bitsOf, dayOf } from "./active.js";
import { HOUR_MS, QUARTER_MS } from "./keys.js";

/** What can be asked for: the last 24 hours by the hour, or so many days, today included. */
export const SPANS = { "24h": 1, "7d": 7, "30d": 30, "90d": 90 } as const;
export type Span = keyof typeof SPANS;

/** Can times be told in this zone? */
export const isTimeZone = (name: string): boolean => {
  try {
    return /^[A-Za-z]/.test(new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone);
  } catch {
    return false;
  }
};

/**
 * The steps of a span up to now: the start of each, and the end of the last, in epoch milliseconds.
 *
 * @param zone in which days begin at midnight
 */
export const stepsOf = (span: Span, zone: string, now: number): number[] => {
  if (span === "24h") {
    const end = now - (now % HOUR_MS) + HOUR_MS;
    return Array.from({ length: 25 }, (_, at) => end - (24 - at) * HOUR_MS);
  }
  const parts = new Intl.DateTimeFormat("en", {
    ...{ timeZone: zone, hourCycle: "h23", year: "numeric", month: "numeric", day: "numeric" },
    ...{ hour: "numeric", minute: "numeric", second: "numeric" },
  });
  /** What clocks there show, as if it were UTC. */
  const shown = (time: number): number => {
    const { year, month, day, hour, minute, second } = Object.fromEntries(
      parts.formatToParts(time).map(({ type, value }) => [type, Number(value)]),
    ) as Record<string, number>;
    return Date.UTC(year!, month! - 1, day, hour, minute, second);
  };
  const today = shown(now) - (shown(now) % DAY_MS);
  return Array.from({ length: SPANS[span] + 1 }, (_, at) => {
    const midnight = today - (SPANS[span] - 1 - at) * DAY_MS;
    // Once more, where the zone is another one then than at this time in UTC.
    const guess = midnight - (shown(midnight) - midnight);
    const time = midnight - (shown(guess) - guess);
    return time - (time % QUARTER_MS);
  });
};

/** The parts of the steps that are in one day of UTC: the number of the step, the day, and the bits of its quarters. */
export const cutByDays = (steps: readonly number[]) =>
  steps.slice(0, -1).flatMap((from, step) => {
    const to = steps[step + 1]!;
    const first = from - (from % DAY_MS);
    const days = Array.from({ length: Math.ceil((to - first) / DAY_MS) }, (_, at) => first + at * DAY_MS);
    return days.map((day) => ({ step, day: dayOf(day), quarters: bitsOf(day, from, to) }));
  });
