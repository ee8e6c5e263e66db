import { Temporal } from "temporal-polyfill";
import { DAY_MS, HOUR_MS, isTime, readTime } from "../base/times.js";
import { HttpError } from "../http/errors.js";
import { QUARTER_MS } from "./sums/keys.js";
import { bitsOf, dayOf } from "./sums/utc-days.js";

/** What can be asked for: the last 24 hours by the hour, or so many days, today included. */
export const SPANS = { "24h": 1, "7d": 7, "30d": 30, "90d": 90 } as const;
export type Span = keyof typeof SPANS;

/** Days that can be asked for at once. */
const MAX_DAYS = 366;

/** Which time: a span up to now, or days of a calendar, the last one included. */
interface When {
  span: Span;
  time_zone: string;
  from?: string;
  to?: string;
}

/**
 * The steps of a time, and those before it that it stands against: the start of each, and the end of the last, in epoch milliseconds. Of a time
 * that is not over, those before it end as long after their beginning.
 */
export interface Steps {
  steps: number[];
  before: number[];
}

/** Of whom, and when: the starts of the steps with the end of the last, and those before them. */
export interface Asked extends Steps {
  workspace: string;
}

/** Can times be told in this zone? */
const isTimeZone = (name: string): boolean => {
  try {
    Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name);
    return /^[A-Za-z]/.test(new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone);
  } catch {
    return false;
  }
};

/** @throws HttpError 400 where there is no such zone, or no such days */
export const readWhen = ({ span, time_zone: zone, from, to }: When, now = Date.now()): Steps => {
  if (!isTimeZone(zone)) throw new HttpError(400, "time_zone must be the name of a time zone, such as Europe/Berlin");
  if (from === undefined && to === undefined) {
    const steps = stepsOf(span, zone, now);
    const days = SPANS[span];
    const before = span === "24h" ? steps.map((time) => time - DAY_MS) : stepsOf(span, zone, now, days);
    return sameStretch({ steps, before }, now, span === "24h" ? now - DAY_MS : daysBefore(now, zone, days));
  }
  const [first, last] = [from ?? to!, to ?? from!].map(readDay) as [Temporal.PlainDate, Temporal.PlainDate];
  const days = first.until(last).total("days") + 1;
  if (days < 1 || days > MAX_DAYS) throw new HttpError(400, `from and to must be in order, at most ${MAX_DAYS} days`);
  const [before, steps] = [first.subtract({ days }), first].map((day) => stepsFrom(day, days, zone));
  if (![before![0], steps!.at(-1)].every((time) => isTime(time)))
    throw new HttpError(400, "from and to must be days from 1971 to 9998");
  return sameStretch({ steps: steps!, before: before! }, now, daysBefore(now, zone, days));
};

/** The same time of the clock so many days earlier. */
const daysBefore = (now: number, zone: string, days: number): number =>
  Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(zone).subtract({ days }).epochMilliseconds;

/** Seven days of which the last has just begun are less than seven whole ones. @param then where those before it stood as now stands here */
const sameStretch = ({ steps, before }: Steps, now: number, then: number): Steps => {
  if (now >= steps.at(-1)!) return { steps, before };
  const until = then - (then % QUARTER_MS);
  return { steps, before: before.map((time) => Math.min(time, until)) };
};

/** The day that a time is in. */
export const dayIn = (zone: string, time: number): string =>
  Temporal.Instant.fromEpochMilliseconds(time).toZonedDateTimeISO(zone).toPlainDate().toString();

const readDay = (text: string): Temporal.PlainDate => {
  if (readTime(text) === undefined) throw new HttpError(400, "from and to must be days such as 2026-01-31");
  return Temporal.PlainDate.from(text);
};

/** One day goes by the hour, more of them by the day. */
const stepsFrom = (first: Temporal.PlainDate, days: number, zone: string): number[] => {
  const startOf = (at: number) => first.add({ days: at }).toZonedDateTime(zone).epochMilliseconds;
  if (days > 1) return Array.from({ length: days + 1 }, (_, at) => startOf(at));
  const [start, end] = [startOf(0), startOf(1)];
  return [...Array.from({ length: Math.ceil((end - start) / HOUR_MS) }, (_, at) => start + at * HOUR_MS), end];
};

/**
 * The steps of a span up to now.
 *
 * @param zone whose days begin with their first moment: not all have a midnight, and some have two
 * @param ago how many days earlier
 */
export const stepsOf = (span: Span, zone: string, now: number, ago = 0): number[] => {
  if (span === "24h") {
    const end = now - (now % HOUR_MS) + HOUR_MS;
    return Array.from({ length: 25 }, (_, at) => end - (24 - at) * HOUR_MS);
  }
  const today = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(zone).toPlainDate();
  return stepsFrom(today.subtract({ days: SPANS[span] + ago - 1 }), SPANS[span], zone);
};

/** The parts of the steps that are in one day of UTC: the number of the step, the day, and the bits of its quarters. */
export const cutByDays = (steps: readonly number[]) =>
  steps.slice(0, -1).flatMap((from, step) => {
    const to = steps[step + 1]!;
    const first = from - (from % DAY_MS);
    const days = Array.from({ length: Math.ceil((to - first) / DAY_MS) }, (_, at) => first + at * DAY_MS);
    return days.map((day) => ({ step, day: dayOf(day), quarters: bitsOf(day, from, to) }));
  });

/** The same parts with the numbers of their quarters, as SQL counts the members of an array. */
export const quartersByDays = (steps: readonly number[]) =>
  cutByDays(steps).map(({ quarters, ...cut }) => ({
    ...{ ...cut, first: quarters.indexOf("1") + 1, last: quarters.lastIndexOf("1") + 1 },
  }));
