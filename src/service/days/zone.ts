import { Temporal } from "temporal-polyfill";
import { DAY_MS } from "../base/times.js";
import type { Query } from "../database/database.js";

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
