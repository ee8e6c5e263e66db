/*
 * What a body must look like to be an answer. Each function returns it, typed, or throws a TypeError whose message is
 * the reason why it is none.
 */

import { check, isObject, isText } from "./http/validate.js";
import type { EventPage, UserPage } from "./records.js";

/**
 * `.` and `..` are steps in a path even when they are percent-encoded (URL standard §4.4), and nothing at all asks for
 * the list instead.
 */
export const isId = (value: unknown): boolean => isText(value, /^(?!\.?\.?$)/);

/** The body as one record. */
export const record = <T extends object>(body: unknown): T => {
  check(isObject(body), "body: expected an object", body);
  return body as T;
};

/**
 * The interface leaves open how a search that finds nothing is answered: `null` and an empty list, bare or in an
 * envelope, both mean that. A record's own `data` holds its attributes; only a body without `id` is an envelope.
 */
export const recordOrNone = <T extends object>(body: unknown): T | null => {
  const { id, data } = Object(body) as { id?: unknown; data?: unknown };
  const answer = id || !Array.isArray(data) ? body : data;
  const found = Array.isArray(answer) && answer.length < 2 ? answer[0] : answer;
  return found == null ? null : record(found);
};

/** The body as a page of a list whose members can be relied upon. */
export const listPage = <T extends EventPage | UserPage>(page: T): T => {
  const { data, pagination } = Object(page) as Partial<T>;
  const { next } = Object(pagination) as Partial<T["pagination"]>;
  check(isText(next ?? "", /^/), "pagination.next: expected a text", next);
  check(Array.isArray(data), "data: expected an array", data);
  for (const { id } of data!.map(Object)) check(isId(id), 'data[].id: expected a text other than "", "." and ".."', id);
  return page;
};

/** The same, of users, who are counted. */
export const userPage = (page: UserPage): UserPage => {
  const total = Object(Object(page).pagination).total;
  check(Number.isInteger(total), "pagination.total: expected a whole number", total);
  return listPage(page);
};
