import { changeOf } from "../shared/change.js";

/* How times and numbers are told: in English, as the pages are, of the reader's own kind. */

const LANGUAGE = navigator.languages.find((one) => /^en\b/.test(one)) ?? "en";

export const OWN_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;
/** The one place that knows in which zone times are told: the browser's, until an answer tells another one; which days are shown; and whether any time before has events. */
export const times = { zone: OWN_ZONE, days: "", hasBefore: true };

const told =
  (options: Intl.DateTimeFormatOptions) =>
  (time: number, timeZone = times.zone): string =>
    new Intl.DateTimeFormat(LANGUAGE, { hourCycle: "h23", ...options, timeZone }).format(time);

const MINUTE = { hour: "2-digit", minute: "2-digit" } as const;
export const clock = told(MINUTE);
export const clockOfSeconds = told({ ...MINUTE, second: "2-digit" });
export const day = told({ day: "numeric", month: "short" });
export const dayOfWeek = told({ weekday: "short", day: "numeric", month: "short" });
export const longDay = told({ weekday: "long", day: "numeric", month: "long", year: "numeric" });
export const date = told({ dateStyle: "medium" });
export const moment = told({ dateStyle: "medium", timeStyle: "short" });

/** Are the browser's clocks set as those of the answers, in summer and in winter? */
export const isOwnZone = (): boolean =>
  [0, 182 * 86_400_000].every((ago) => moment(Date.now() - ago) === moment(Date.now() - ago, OWN_ZONE));

/** The day of a time, as a calendar's field has it: `2026-01-31`. */
export const dayOf = (time: number): string =>
  new Intl.DateTimeFormat("sv", { dateStyle: "short", timeZone: times.zone }).format(time);

/** A moment as spreadsheets read it: `2026-01-31 13:05:10`, in the zone in which times are told. */
export const stampOf = (time: number): string => `${dayOf(time)} ${clockOfSeconds(time)}`;

const ago = new Intl.RelativeTimeFormat(LANGUAGE, { numeric: "auto", style: "narrow" });
const UNITS = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1_000],
] as const;
/** In the largest unit of which it has one. */
const inUnit = (ms: number): [amount: number, unit: (typeof UNITS)[number][0]] => {
  const [unit, length] = UNITS.find(([, length]) => ms >= length) ?? UNITS[3];
  return [Math.floor(ms / length), unit];
};
/** How long something took: `2 days`. */
export const lasting = (ms: number): string => {
  const [amount, unit] = inUnit(ms);
  return new Intl.NumberFormat(LANGUAGE, { style: "unit", unit, unitDisplay: "long" }).format(amount);
};
/** A day as so many days ago. */
export const sinceDay = (day: string): string =>
  ago.format(Math.round((Date.parse(day) - Date.parse(dayOf(Date.now()))) / UNITS[0][1]), "day");
/** A time as so long ago: one of today by the clock, an older one by its day, as lists tell it. */
export const since = (time: number): string => {
  if (dayOf(time) < dayOf(Date.now())) return sinceDay(dayOf(time));
  const [amount, unit] = inUnit(Math.max(0, Date.now() - time));
  return ago.format(-amount, unit);
};

/** How steps are told: short beside an axis, long in a table. */
export interface StepFormat {
  head: string;
  short: (time: number) => string;
  long: (time: number) => string;
}
export const stepFormat = (starts: readonly number[]): StepFormat =>
  starts.length > 1 && starts[1]! - starts[0]! <= UNITS[1][1]
    ? { head: "Hour", short: clock, long: clock }
    : { head: "Day", short: day, long: dayOfWeek };

const numbers = (options: Intl.NumberFormatOptions) => {
  const { format } = new Intl.NumberFormat(LANGUAGE, options);
  return (value: number): string => format(value);
};
export const number = numbers({});
export const short = numbers({ notation: "compact", maximumFractionDigits: 1 });
const percent = numbers({ style: "percent", maximumFractionDigits: 1 });

/** The least share that is told, and not as 0 %. */
const LEAST = 0.001;
export const share = (part: number, all: number): string => {
  if (all === 0) return "–";
  return part > 0 && part / all < LEAST ? `< ${percent(LEAST)}` : percent(part / all);
};
/** The same as spreadsheets read it. */
export const exactShare = (part: number, all: number): string | null =>
  all === 0 ? null : `${((100 * part) / all).toFixed(2)}%`;
/** How a figure stands against the one of the time before. */
export const change = (now: number, before: number): string =>
  before === 0 && !times.hasBefore ? "" : changeOf(now, before);
/** The same, with the figure. */
export const against = ({ total, before }: { total: number; before: number }): string =>
  before === 0 ? change(total, 0) : `${change(total, before)} · ${number(before)} before`;
