/** Questions about values from outside: the arguments and answers of `tracklet/read` and `tracklet/send`. */

/**
 * Patterns for the JSON text of values: there, 5 and `"5"` differ, NaN is `null`, and control characters, quotes and
 * backslashes come with a backslash. What is absent reads `undefined`.
 */
export type Rules = Record<string, RegExp>;

/**
 * Checks those members that have a rule. The error shows the rule, and never the value, which may be a token.
 *
 * @throws TypeError that names the first wrong member, and the pattern that was expected
 */
export const check = (values: object, rules: Rules): void => {
  for (const name in rules)
    if (!rules[name]!.test(JSON.stringify((values as Record<string, unknown>)[name])))
      throw new TypeError(`${name}: expected ${rules[name]}`);
};

/** A whole number, or nothing. Nine digits at most: a timer of more than 2³¹ − 1 ms fires at once. */
export const COUNT = /^(undefined|\d{1,9})$/;

/** An absolute http address to put paths behind: without user, password, query and fragment. */
export const BASE_ADDRESS = /^"https?:\/\/[^\s\\?#@]+"/;
