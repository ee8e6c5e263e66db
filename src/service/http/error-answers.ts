import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type {
  FastifyBaseLogger,
  FastifyError,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  HTTPMethods,
} from "fastify";
import { Type } from "typebox";
import { type Fault, faultOf, isUnavailable, tellFault } from "../database/sql-state.js";
import { commonHeaders, EXPOSED } from "./headers.js";

/** An answer with a status other than 2xx; its message is the text of the `error` member. */
export class HttpError extends Error {
  override name = "HttpError";
  code = "";
  constructor(
    readonly statusCode: number,
    message: string,
    /** Header fields that belong to the status, such as `Retry-After`. */
    readonly headers: Record<string, string> = {},
    /** What the refusal is counted as, where the status does not say it. */
    readonly reason?: string,
  ) {
    super(message);
  }
}

export const notFound = (what: string): HttpError => new HttpError(404, `${what} was not found`);

/** Seconds after which a client may ask again when the database is away. */
const RETRY_AFTER_S = "2";

export const unavailable = (): HttpError =>
  new HttpError(503, "the service cannot store or read now, try again later", { "retry-after": RETRY_AFTER_S });

export interface Answered {
  status: number;
  text: string;
  reason: string | undefined;
}

/**
 * Every answer that is not a success has the body `{"error": "<text>"}`, those that Fastify itself gives included.
 *
 * @param tell is called for each of them that a route gives
 */
export const answerErrors = (app: FastifyInstance, tell: (request: FastifyRequest, answer: Answered) => void): void => {
  app.setErrorHandler((error: FastifyError | HttpError, request, reply) => tell(request, sendError(error, reply)));
  app.setNotFoundHandler((request, reply) => {
    reply.code(404).send({ error: `there is no ${request.method} ${request.url.split("?")[0]}` });
  });
};

/** Counts by key; gives the number since the last time that it gave one, once in so many milliseconds at most. */
export const createLogLimit = (quietMs = 60_000): ((key: string) => number | undefined) => {
  const keys = new Map<string, { at: number; untold: number }>();
  return (key) => {
    const one = keys.get(key) ?? { at: Number.NEGATIVE_INFINITY, untold: 0 };
    keys.set(key, one);
    one.untold += 1;
    if (performance.now() - one.at < quietMs) return undefined;
    const { untold } = one;
    Object.assign(one, { at: performance.now(), untold: 0 });
    return untold;
  };
};

/** Of what every request would tell, and the same of what lasts until somebody mends it. */
const [toldFaults, toldMended] = [createLogLimit(1_000), createLogLimit()];
const MENDED: readonly Fault[] = ["password", "disk"];

/** Says what keeps the database from storing or reading. */
const tellAway = (log: FastifyBaseLogger, cause: Error): void => {
  const fault = faultOf(cause);
  if ((MENDED.includes(fault) ? toldMended : toldFaults)(fault) === undefined) return;
  log.warn({ fault, reason: cause.message }, `the database is away: ${tellFault(cause)}`);
};

export const MEDIA_TYPE = "the content type must be application/json, or text/plain holding JSON";

/** What is wrong with a text that is no JSON. What `JSON.parse` says repeats a part of it. @param what as in `the body` */
export const noJson = (what: string, { message }: Error): HttpError => {
  const place = /at position \d+/.exec(message)?.[0];
  const why = message === "Unexpected end of JSON input" ? ": it ends too early" : place ? `: it is not ${place}` : "";
  return new HttpError(400, `${what} must be JSON${why}`);
};

/** What an error is answered with. A fault of the service is logged and described to nobody else. */
export const explainError = (
  cause: Error & { statusCode?: number; code?: string },
  log: FastifyBaseLogger,
): Answered & { headers: Record<string, string> } => {
  const error = isUnavailable(cause)
    ? unavailable()
    : cause instanceof SyntaxError && cause.statusCode === 400
      ? noJson("the body", cause)
      : cause;
  const status = error.statusCode ?? 500;
  // The stack says nothing about why a database is away.
  if (isUnavailable(cause)) tellAway(log, cause);
  else if (status >= 500 && !(cause instanceof HttpError)) log.error({ err: cause }, "the service failed");
  const text =
    error.code === "FST_ERR_CTP_INVALID_MEDIA_TYPE"
      ? MEDIA_TYPE
      : status >= 500 && !(error instanceof HttpError)
        ? "the service failed"
        : error.message;
  return error instanceof HttpError
    ? { status, text, reason: error.reason, headers: error.headers }
    : { status, text, reason: undefined, headers: {} };
};

const sendError = (cause: FastifyError | HttpError, reply: FastifyReply): Answered => {
  const { headers, ...answer } = explainError(cause, reply.log);
  if (headers["retry-after"] !== undefined) reply.header(EXPOSED, "Retry-After");
  reply.code(answer.status).headers(headers).type("application/json; charset=utf-8").send({ error: answer.text });
  return answer;
};

export const ErrorBody = Type.Object(
  { error: Type.String({ description: "What is wrong, for a person" }) },
  { $id: "Error" },
);

/** The answers with an error body, for a route's schema. */
export const errors = <const Status extends number>(...statuses: Status[]) =>
  Object.fromEntries(
    statuses.map((status) => [status, { description: MEANING[status] ?? "Error", ...Type.Ref("Error#") }]),
  );

const MEANING: Record<number, string> = {
  400: "Something in the request is wrong; the text names it",
  401: "The token is wrong or missing",
  404: "The object was not found",
  405: "The method is not allowed here; `Allow` names those that are",
  408: "The request, or its body, came too slowly",
  410: "What is asked for is no longer there",
  413: "The body is too large",
  415: "The body is neither `application/json` nor `text/plain` holding JSON",
  429: "Too many requests; `Retry-After` says how many seconds to wait",
  500: "The service failed",
  503: "The service cannot store or read now; `Retry-After` says when to try again",
};

/** Answers to a URL that cannot be decoded, before any hook runs. */
export const answerBadUrl = (_error: FastifyError, request: FastifyRequest, reply: FastifyReply): void => {
  // Fastify's own text repeats the URL, in which a token may stand.
  const error = new HttpError(400, "the path of the URL cannot be decoded");
  sendError(error, reply.headers(commonHeaders(request.headers.origin)));
};

/** Answers to what is no HTTP at all, or comes too slowly; its origin is unknown, so any may read the answer. */
export const answerBadHttp = (error: Error & { code?: string }, socket: Socket): void => {
  if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy();
  const status = BAD_HTTP[error.code ?? ""] ?? "400 Bad Request";
  const body = JSON.stringify({ error: `the request cannot be read: ${status.slice(4)}` });
  socket.end(
    `HTTP/1.1 ${status}\r\nConnection: close\r\nAccess-Control-Allow-Origin: *\r\n` +
      `X-Content-Type-Options: nosniff\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
};

const BAD_HTTP: Record<string, string> = {
  ERR_HTTP_REQUEST_TIMEOUT: "408 Request Timeout",
  HPE_HEADER_OVERFLOW: "431 Request Header Fields Too Large",
};

/** Answers to an `Expect` header field other than `100-continue`, which Node would answer without a body. */
export const answerExpectations = (app: FastifyInstance): void => {
  app.server.on("checkExpectation", ({ headers: { origin } }: IncomingMessage, response: ServerResponse) => {
    response.writeHead(417, {
      ...commonHeaders(origin),
      "content-type": "application/json; charset=utf-8",
    });
    response.end(JSON.stringify({ error: "of Expect, only 100-continue is understood" }));
  });
};

/**
 * Answers 405 with `Allow` (RFC 9110 §15.5.6) to the other methods of each path that is registered after this call.
 *
 * @returns registers those answers, to be called after the last route
 */
export const refuseOtherMethods = (app: FastifyInstance): (() => void) => {
  const allowed = new Map<string, Set<string>>();
  app.addHook("onRoute", ({ url, method }) => {
    if (url === "*") return;
    const methods = allowed.get(url) ?? new Set();
    for (const one of [method].flat()) methods.add(one);
    allowed.set(url, methods);
  });
  return () => {
    for (const [url, methods] of [...allowed]) {
      const allow = [...methods, "OPTIONS"].join(", ");
      app.route({
        url,
        method: app.supportedMethods.filter((method) => !methods.has(method) && method !== "OPTIONS") as HTTPMethods[],
        schema: { hide: true },
        // Before the body is looked at: its type or its size does not matter here.
        onRequest: async (request, reply) =>
          reply
            .code(405)
            .header("allow", allow)
            .send({ error: `${request.method} is not allowed here; allowed: ${allow}` }),
        handler: async () => {},
      });
    }
  };
};
