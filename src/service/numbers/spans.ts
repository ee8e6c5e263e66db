import { Temporal } from "temporal-polyfill";
import { DAY_MS, HOUR_MS } from "../base/times.js";
import { bitsOf, dayOf } from "./active.js";

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
 * @param zone whose days begin with their first moment: not all have a midnight, and some have two
 */
export const stepsOf = (span: Span, zone: string, now: number): number[] => {
  if (span === "24h") {
    const end = now - (now % HOUR_MS) + HOUR_MS;
    return Array.from({ length: 25 }, (_, at) => end - (24 - at) * HOUR_MS);
  }
  const tomorrow = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(zone).toPlainDate().add({ days: 1 });
  return Array.from(
    { length: SPANS[span] + 1 },
    (_, at) => tomorrow.subtract({ days: SPANS[span] - at }).toZonedDateTime(zone).epochMilliseconds,
  );
};

/** The parts of the steps that are in one day of UTC: the number of the step, the day, and the bits of its quarters. */
export const cutByDays = (steps: readonly number[]) =>
  steps.slice(0, -1).flatMap((from, step) => {
    const to = steps[step + 1]!;
    const first = from - (from % DAY_MS);
    const days = Array.from({ length: Math.ceil((to - first) / DAY_MS) }, (_, at) => first + at * DAY_MS);
    return days.map((day) => ({ step, day: dayOf(day), quarters: bitsOf(day, from, to) }));
  });
