import { Temporal } from "temporal-polyfill";
import { DAY_MS, isTime, readTime } from "../base/times.js";
import type { Query } from "../database/database.js";
import { HttpError } from "../http/error-answers.js";

/* Days are those of the time zone of a workspace, as `2026-01-31`. */

export const isTimeZone = (name: string): boolean => {
  try {
    Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name);
    return /^[A-Za-z]/.test(new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone);
  } catch {
    return false;
  }
};

export const NO_ZONE = "time_zone must be the name of a time zone, such as Europe/Berlin";

export const readZone = async (query: Query, workspace: string): Promise<string> => {
  const [row] = await query<{ zone: string }>("SELECT zone FROM workspaces WHERE name = $1", [workspace]);
  return row?.zone ?? "UTC";
};

/** The day that a time is in, in epoch milliseconds. */
export const dayIn = (zone: string, time: number): string =>
  Temporal.Instant.fromEpochMilliseconds(time).toZonedDateTimeISO(zone).toPlainDate().toString();

/** The first moment of a day, in epoch milliseconds: not all have a midnight, and some have two. */
export const startOf = (day: string, zone: string): number =>
  Temporal.PlainDate.from(day).toZonedDateTime(zone).epochMilliseconds;

/** The noon of a day, which each has once. */
export const noonOf = (day: string, zone: string): number =>
  Temporal.PlainDate.from(day).toZonedDateTime({ timeZone: zone, plainTime: "12:00" }).epochMilliseconds;

export const later = (day: string, days: number): string =>
  new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10);

/** The first of its month, as which the tables have that. */
export const monthOf = (day: string): string => `${day.slice(0, 7)}-01`;

/** What can be asked for: the last 24 hours of the clock, or so many days. Up to a week has today in it; more of them end with yesterday. */
export const SPANS = { "24h": 1, "7d": 7, "30d": 30, "90d": 90 } as const;

/** Days that can be asked for at once, and those that may end with today: of so many the hours are kept. */
const [MAX_DAYS, LATELY] = [366, 8];

/** Which time: a span up to now, or days of a calendar, the last one included. */
export interface When {
  span: keyof typeof SPANS;
  from?: string | undefined;
  to?: string | undefined;
}

/** Whole days and hours of the clock, as the questions take them (ranges of PostgreSQL), in a time and in the time before. */
export interface Ranges {
  days: string;
  hours: string;
  days_before: string;
  hours_before: string;
  /** The days in which it lies. */
  from: string;
  to: string;
}

/** A time: its ranges, the start of each of its steps, its end, and when the time before begins and ends; in epoch milliseconds. */
interface Time {
  ranges: Ranges;
  starts: number[];
  ends: number;
  before: { from: number; to: number };
}

const NONE = "empty";
/** Days, the last one included; nothing where there is none. */
const daysFrom = (first: string, last: string): string => (first > last ? NONE : `[${first},${last}]`);
/** An hour of a day, which 24 is, too: the first of the next day. */
const hourOf = (day: string, hour: number): string =>
  `${later(day, Math.floor(hour / 24))} ${String(hour % 24).padStart(2, "0")}:00`;
const hoursFrom = (first: string, end: string): string => `[${first},${end})`;
const timeOf = (hour: string, zone: string): number =>
  Temporal.PlainDateTime.from(hour.replace(" ", "T")).toZonedDateTime(zone).epochMilliseconds;
const count = <T>(amount: number, make: (at: number) => T): T[] => Array.from({ length: amount }, (_, at) => make(at));

/**
 * A time that is not over stands against as much of the time before: until the end of this hour of the clock.
 *
 * @throws HttpError 400 where there are no such days
 */
export const readWhen = ({ span, from, to }: When, zone: string, now = Date.now()): Time => {
  const today = dayIn(zone, now);
  const { hour } = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(zone);
  if (from === undefined && to === undefined && span === "24h") return lastHours(today, hour + 1, zone);
  const [first, given] =
    from === undefined && to === undefined
      ? [later(today, 1 - SPANS[span]), today]
      : readDays(from ?? to!, to ?? from!);
  // Days to come have nothing yet.
  const last = first <= today && given > today ? today : given;
  const length = lengthOf(first, last);
  if (length > LATELY && last === today)
    return wholeDays(from === undefined && to === undefined ? later(first, -1) : first, later(today, -1), zone);
  if (last < today || first > today)
    return length === 1 && first > later(today, -LATELY) && first < today
      ? byTheHour(first, zone)
      : wholeDays(first, last, zone);
  const before = later(first, -length);
  const then = later(before, lengthOf(first, today) - 1);
  const until = hourOf(then, hour + 1);
  const time = length === 1 ? byTheHour(first, zone) : wholeDays(first, last, zone);
  return {
    ...time,
    ranges: {
      ...time.ranges,
      days_before: daysFrom(before, later(then, -1)),
      hours_before: hoursFrom(hourOf(then, 0), until),
    },
    before: { from: startOf(before, zone), to: timeOf(until, zone) },
  };
};

const lengthOf = (first: string, last: string): number => (Date.parse(last) - Date.parse(first)) / 86_400_000 + 1;

const readDays = (first: string, last: string): [string, string] => {
  if (readTime(first) === undefined || readTime(last) === undefined)
    throw new HttpError(400, "from and to must be days such as 2026-01-31");
  const length = lengthOf(first, last);
  if (length < 1) throw new HttpError(400, "from must not be after to");
  if (length > MAX_DAYS) throw new HttpError(400, `from and to must be at most ${MAX_DAYS} days`);
  if (![later(first, -length - 1), later(last, 2)].every((day) => isTime(Date.parse(day))))
    throw new HttpError(400, "from and to must be days from 1971 to 9998");
  return [first, last];
};

/** The last 24 hours of the clock. @param end of today, the first that has not begun */
const lastHours = (today: string, end: number, zone: string): Time => {
  const [before, from, to] = [-2, -1, 0].map((days) => hourOf(later(today, days), end)) as [string, string, string];
  return {
    ranges: {
      days: NONE,
      hours: hoursFrom(from, to),
      days_before: NONE,
      hours_before: hoursFrom(before, from),
      from: later(today, -1),
      to: today,
    },
    starts: count(24, (at) => timeOf(hourOf(later(today, -1), end + at), zone)),
    ends: timeOf(to, zone),
    before: { from: timeOf(before, zone), to: timeOf(from, zone) },
  };
};

const wholeDays = (first: string, last: string, zone: string): Time => {
  const length = lengthOf(first, last);
  const before = later(first, -length);
  return {
    ranges: {
      days: daysFrom(first, last),
      hours: NONE,
      days_before: daysFrom(before, later(first, -1)),
      hours_before: NONE,
      from: first,
      to: last,
    },
    starts: count(length, (at) => startOf(later(first, at), zone)),
    ends: startOf(later(last, 1), zone),
    before: { from: startOf(before, zone), to: startOf(first, zone) },
  };
};

/** One day goes by its hours, and so does the day before, as long as they are kept. */
const byTheHour = (day: string, zone: string): Time => {
  const time = wholeDays(day, day, zone);
  const [hours_before, hours] = [-24, 0].map((hour) => hoursFrom(hourOf(day, hour), hourOf(day, hour + 24)));
  return {
    ...time,
    ranges: { ...time.ranges, days: NONE, days_before: NONE, hours: hours!, hours_before: hours_before! },
    starts: count(24, (at) => timeOf(hourOf(day, at), zone)),
  };
};
