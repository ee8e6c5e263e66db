export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;
/** Milliseconds that an event waits in a browser at most (`maxAgeMs`). */
export const LONGEST_WAIT_MS = 30 * DAY_MS;

const FORM = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?$/;

export const TIME_EXPECTED = "must be a day or a time such as 2026-01-31T12:00:00Z";

/** A day or a time (ISO 8601) as epoch milliseconds, `undefined` where it is none; UTC where it names no zone. */
export const readTime = (value: string): number | undefined => {
  const [, day, time, , , zone] = FORM.exec(value) ?? [];
  const milliseconds = Date.parse(time !== undefined && zone === undefined ? `${value}Z` : value);
  // JavaScript takes February 30 for a day of March.
  const isTime = !Number.isNaN(milliseconds) && new Date(Date.parse(day!)).toISOString().slice(0, 10) === day;
  return isTime ? milliseconds : undefined;
};
