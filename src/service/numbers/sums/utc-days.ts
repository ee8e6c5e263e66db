import { DAY_MS } from "../../base/times.js";
import { QUARTER_MS, QUARTERS } from "./keys.js";

/* Days and weeks of UTC: each week begins on a Monday, and each day has 96 quarters. */

export const WEEK_MS = 7 * DAY_MS;
/** 1970-01-05. */
const FIRST_MONDAY = 4 * DAY_MS;

/** The bits of the quarters from one time to another of a day. */
export const bitsOf = (day: number, from: number, to: number): string => {
  const [first, end] = [from, to].map((time) =>
    Math.round((Math.min(Math.max(time, day), day + DAY_MS) - day) / QUARTER_MS),
  );
  return "0".repeat(first!) + "1".repeat(end! - first!) + "0".repeat(QUARTERS - end!);
};

/** A day in UTC, as the database takes it. */
export const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);

/** When the week begins that a time is in. */
export const mondayOf = (time: number): number => time - ((time - FIRST_MONDAY) % WEEK_MS);

/** The days of the week that a time is in. */
export const weekOf = (time: number): string[] =>
  Array.from({ length: 7 }, (_, at) => dayOf(mondayOf(time) + at * DAY_MS));

/** When each week begins that is whole within a time. */
export const wholeWeeks = (from: number, to: number): number[] => {
  const first = Math.ceil((from - FIRST_MONDAY) / WEEK_MS) * WEEK_MS + FIRST_MONDAY;
  return Array.from({ length: Math.max(0, Math.floor((to - first) / WEEK_MS)) }, (_, at) => first + at * WEEK_MS);
};
