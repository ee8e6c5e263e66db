import type { UserPage } from "./records.js";
import { check, type Rules } from "./validate.js";

/**
 * `.` and `..` are steps in a path even when they are percent-encoded (URL standard §4.4), and nothing at all asks for
 * the list instead.
 */
export const ID: Rules = { id: /^"(?!\.?\.?")/ };

/*
 * What a body must look like to be an answer. Each function returns it, typed, or throws a TypeError whose message is
 * the reason why it is none.
 */

/** The body as one record: an object, as JSON means it. */
export const record = <T extends object>(body: unknown): T => {
  check({ body }, { body: /^{/ });
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

/** The body as a page whose members can be relied upon. */
export const userPage = (page: UserPage): UserPage => {
  check(page, { pagination: /"total":\d/ });
  page.data.forEach((user) => {
    check(user, ID);
  });
  return page;
};
