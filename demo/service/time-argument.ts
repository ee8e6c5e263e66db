import { StartError } from "./start-error.js";

const FORM = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?$/;

/** A day or a time (ISO 8601) as epoch milliseconds; UTC where it names no zone. */
export const readTime = (name: string, value: string | undefined): number | undefined => {
  if (value === undefined) return undefined;
  const [, day, time, , , zone] = FORM.exec(value) ?? [];
  const milliseconds = Date.parse(time !== undefined && zone === undefined ? `${value}Z` : value);
  // JavaScript takes February 30 for a day of March.
  if (Number.isNaN(milliseconds) || new Date(Date.parse(day!)).toISOString().slice(0, 10) !== day)
    throw new StartError(`${name} must be a day or a time such as 2026-01-31T12:00:00Z, but is "${value}"`);
  return milliseconds;
};
