import { isObject } from "./check.js";
import type { UserPage } from "./records.js";

/** The body as one record, or why it is none. */
export const record = <T>(body: unknown): T | string => (isObject(body) ? (body as T) : "no record");

/**
 * The interface leaves open how a search that finds nothing is answered: `null` and an empty list, bare or in an
 * envelope, both mean that. A record's own `data` holds its attributes; only a body without `id` is an envelope.
 */
export const recordOrNone = <T>(body: unknown): T | null | string => {
  const { id, data } = Object(body) as { id?: unknown; data?: unknown };
  const [found = null, ...others] = [id || !Array.isArray(data) ? body : data].flat();
  return found === null ? null : record(others.length ? others : found);
};

/** The body as a page whose members can be relied upon, or why it is none. */
export const userPage = (body: unknown): UserPage | string => {
  const { data, pagination } = Object(body) as Record<string, unknown>;
  const { total, offset, limit, count, next } = Object(pagination) as Record<string, unknown>;
  return Array.isArray(data) &&
    data.every((user) => typeof user?.id === "string") &&
    [total, offset, limit, count].every(Number.isFinite) &&
    (!next || /[?&]offset=\d/.test(next as string))
    ? (body as UserPage)
    : "no page of users";
};
