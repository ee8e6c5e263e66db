/** Checks of what comes from outside: the arguments of `tracklet/read` and `tracklet/send`, and the answers. */

/** A value as an error shows it: the first characters of a text, before a password in an address can begin. */
const show = (value: unknown): string => {
  if (Array.isArray(value)) return "array";
  if (typeof value === "string") return `"${value.replace(/(.{8}).+/s, "$1…")}"`;
  return Object(value) === value ? typeof value : `${String(value)}${typeof value === "bigint" ? "n" : ""}`;
};

/**
 * @param expected names the option or member, and says what it must be
 * @param found what it is instead
 * @throws TypeError that tells both, unless the value is right
 */
export const check = (isRight: boolean, expected: string, found: unknown): void => {
  if (!isRight) throw new TypeError(`${expected}, found ${show(found)}`);
};

/** Is it a string of that form? (A regular expression alone would take `undefined` for a text.) */
export const isText = (value: unknown, form: RegExp): boolean => typeof value === "string" && form.test(value);

/** A uid as text: a safe integer is one, too. What is none stays what it is. */
export const uidText = (uid: unknown): unknown => (Number.isSafeInteger(uid) ? `${uid}` : uid);

/** Is it an object, and no array? */
export const isObject = (value: unknown): boolean => show(value) === "object";

/** Nine digits at most, unless bounds are given: a timer of more than 2³¹ − 1 ms fires at once. */
export const checkWhole = (name: string, value: number, { min = 0, max = 999_999_999 } = {}): void =>
  check(
    Number.isInteger(value) && value >= min && value <= max,
    `${name}: expected a whole number from ${min} to ${max}`,
    value,
  );

/** An absolute http address to put paths behind. */
export const checkAddress = (name: string, value: string): void =>
  check(
    isText(value, /^https?:\/\/[^\s\\?#@]+$/),
    `${name}: expected an https:// or http:// address without user, query and fragment`,
    value,
  );

/** What `JSON.stringify` does not throw at: no bigint, no circle. */
export const checkJson = (name: string, value: unknown): void => {
  let isRight = true;
  try {
    JSON.stringify(value);
  } catch {
    isRight = false;
  }
  check(isRight, `${name}: expected what JSON can hold`, value);
};
