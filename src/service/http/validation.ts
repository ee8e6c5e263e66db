import createValidators from "@fastify/ajv-compiler";
import createWriters from "@fastify/fast-json-stringify-compiler";
import type { FastifySchemaValidationError, preValidationAsyncHookHandler } from "fastify";
import { readTime, TIME_EXPECTED } from "../base/times.js";
import { HttpError } from "./error-answers.js";

/**
 * What is wrong with a request, in words that name each wrong member or parameter.
 *
 * @param part where it was found: `body`, `querystring`, `params`, or `event` of one among others
 */
const describeErrors = (errors: FastifySchemaValidationError[], part: string): Error =>
  new Error(errors.map((error) => describe(error, part)).join("; "));

/** What is compiled of a schema is kept: most routes answer the same errors, and services of one process have the same routes. */
const compileOnce = <Given extends unknown[], Route, Compiled>(
  compilerOf: (...given: Given) => (route: Route) => Compiled,
) => {
  const all = new Map<string, Compiled>();
  return (...given: Given) => {
    const [compile, context] = [compilerOf(...given), JSON.stringify(given)];
    return (route: Route): Compiled => {
      const key = context + JSON.stringify((route as { schema?: unknown }).schema);
      if (!all.has(key)) all.set(key, compile(route));
      return all.get(key)!;
    };
  };
};

/** How requests are checked, and answers written, by the schemas of their routes. */
export const SCHEMAS = {
  schemaController: {
    compilersFactory: {
      buildValidator: compileOnce(createValidators()),
      buildSerializer: compileOnce(createWriters()),
    },
  },
  ajv: { customOptions: { coerceTypes: false, removeAdditional: false, allErrors: true } },
  schemaErrorFormatter: describeErrors,
} as const;

const describe = ({ instancePath, keyword, params, message }: FastifySchemaValidationError, part: string): string => {
  const whole = part === "querystring" || part === "params" ? "the query" : `the ${part}`;
  const name = instancePath.slice(1).replaceAll("/", ".") || whole;
  if (keyword === "required") return `${params.missingProperty} is missing`;
  if (keyword === "additionalProperties") return `${params.additionalProperty} is not known`;
  if (keyword === "minLength") return `${name} must not be empty`;
  if (keyword === "enum") return `${name} must be ${(params.allowedValues as string[]).join(" or ")}`;
  if (keyword === "const") return `${name} must be ${params.allowedValue}`;
  if (keyword === "type") return `${name} must be ${article(String(params.type))}`;
  return `${name} ${message}`;
};

const article = (type: string): string => (/^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`);

const readTexts =
  (names: string[], read: (text: string, name: string) => unknown): preValidationAsyncHookHandler =>
  async (request) => {
    const query = request.query as Record<string, unknown>;
    for (const name of names) {
      const text = query[name];
      if (typeof text === "string") query[name] = read(text, name);
    }
  };

/**
 * A query parameter is text. This makes a number of those parameters that are written as an integer, and of nothing
 * else: `1e1`, `0x10` or an empty text stay text, which the schema then refuses.
 */
export const readIntegers = (...names: string[]) =>
  readTexts(names, (text) => (/^-?\d+$/.test(text) ? Math.min(Number(text), Number.MAX_SAFE_INTEGER) : text));

/** Makes epoch milliseconds of those parameters that are written as a day or a time (ISO 8601). */
export const readTimes = (...names: string[]) =>
  readTexts(names, (text, name) => {
    const time = readTime(text);
    if (time === undefined) throw new HttpError(400, `${name} ${TIME_EXPECTED}, but is "${text}"`);
    return time;
  });
