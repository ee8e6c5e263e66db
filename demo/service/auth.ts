import { timingSafeEqual } from "node:crypto";
import type { FastifyRequest } from "fastify";
import { HttpError } from "./errors.js";

/** Compares in a time that does not tell how much of the text is right. */
const same = (given: unknown, expected: string): boolean => {
  if (typeof given !== "string") return false;
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
};

/** The credentials of an `Authorization` header of that scheme; the scheme's name is case-insensitive (RFC 9110 §11.1). */
const credentials = (request: FastifyRequest, scheme: string): string | undefined =>
  new RegExp(`^${scheme} +(\\S+) *$`, "i").exec(request.headers.authorization ?? "")?.[1];

/**
 * Hooks that let only the holder of a token pass. They run after the rate limit, which slows down guessing, and
 * before the body is read.
 */
export const requireBearer =
  (accessToken: string) =>
  async (request: FastifyRequest): Promise<void> => {
    const token = credentials(request, "Bearer");
    if (same(token, accessToken)) return;
    const [text, detail] = token === undefined ? ["missing", ""] : ["wrong", ', error="invalid_token"']; // RFC 6750 §3
    throw new HttpError(401, `the access token is ${text}: send Authorization: Bearer <token>`, {
      "www-authenticate": `Bearer realm="records"${detail}`,
    });
  };

/** The token of an event: the `api_token` query parameter, or HTTP Basic with it as user name and an empty password. */
export const requireApiToken =
  (apiToken: string) =>
  async (request: FastifyRequest): Promise<void> => {
    const { api_token: parameter } = request.query as { api_token?: unknown };
    const basic = credentials(request, "Basic");
    const pair = basic === undefined ? undefined : Buffer.from(basic, "base64").toString("utf8");
    if (same(parameter, apiToken) || same(pair, `${apiToken}:`)) return;
    const given = parameter !== undefined || pair !== undefined;
    throw new HttpError(
      401,
      `the API token is ${given ? "wrong" : "missing"}: send ?api_token=<token>, or HTTP Basic with it as user name and an empty password`,
      // Asked for Basic, a browser shows its visitor a login window: never for a page that used the query parameter.
      {
        "www-authenticate":
          parameter === undefined ? 'Basic realm="events", charset="UTF-8"' : 'ApiToken realm="events"',
      },
    );
  };
