import { StartError } from "./start-error.js";

/** Variables of the project that other programs read: the demo, its clients, Docker, the tests. */
const ELSEWHERE = /^TRACKLET_(SITE_PORT|DIST|BASE_URL|TRACK_URL|URL|DOMAIN|ALL|ENGINES|MEASURE|APP_OUT)$/;

/**
 * Reads variables by their names. Each of the functions throws a StartError that names the variable whose value is wrong.
 * What has been read is known, so that a name which is left over is a typing error.
 */
export const readEnvironment = (given: Record<string, string | undefined>) => {
  const known = new Set<string>();

  const get = (name: string): string | undefined => {
    known.add(name);
    return given[name];
  };
  const text = (name: string, byDefault: string): string => {
    const value = get(name) ?? byDefault;
    if (value === "") throw new StartError(`${name} must not be empty`);
    return value;
  };
  const integer = (name: string, byDefault: number, [from, to]: [number, number]): number => {
    const value = text(name, String(byDefault));
    const number = Number(value);
    if (!/^\d+$/.test(value) || number < from || number > to)
      throw new StartError(`${name} must be an integer from ${from} to ${to}, but is "${value}"`);
    return number;
  };
  const matching = (name: string, byDefault: string, [pattern, expected]: readonly [RegExp, string]): string => {
    const value = text(name, byDefault);
    if (!pattern.test(value)) throw new StartError(`${name} must be ${expected}`);
    return value;
  };
  const oneOf = <const Value extends string>(name: string, byDefault: Value, values: readonly Value[]): Value => {
    const value = text(name, byDefault) as Value;
    if (!values.includes(value)) throw new StartError(`${name} must be ${values.join(" or ")}, but is "${value}"`);
    return value;
  };
  const refuseUnknown = (): void => {
    const names = [...known].filter((name) => name.startsWith("TRACKLET_"));
    for (const name of Object.keys(given))
      if (name.startsWith("TRACKLET_") && !known.has(name) && !ELSEWHERE.test(name))
        throw new StartError(`${name} must not be set: the service knows ${names.join(", ")}`);
  };
  return { get, text, integer, matching, oneOf, refuseUnknown };
};
