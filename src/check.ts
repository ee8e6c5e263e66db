/** Questions about values from outside, shared by the browser part, `tracklet/read` and `tracklet/send`. */

/** An object, as JSON means it: neither `null` nor an array. (JSON knows no functions, which pass here.) */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  Object(value) === value && !Array.isArray(value);

/**
 * Patterns for the JSON text of arguments: there, 5 and `"5"` differ, NaN is `null`, and control characters, quotes and
 * backslashes come with a backslash. Only what is absent begins with a `u`.
 */
export type Rules = Record<string, RegExp>;

/**
 * Checks those members that have a rule; for the parts that may throw. The error does not quote the value, which may be
 * a token.
 *
 * @throws TypeError that names the first wrong member
 */
export const check = (values: object, rules: Rules): void => {
  for (const name in rules)
    if (!rules[name]!.test(JSON.stringify((values as Record<string, unknown>)[name])))
      throw new TypeError(`invalid ${name}`);
};

/** An absolute http address to put paths behind: without user, password, query and fragment. */
export const BASE_ADDRESS = /^"https?:\/\/[^\s\\?#@]+"$/;
