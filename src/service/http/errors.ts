import type { FastifyBaseLogger, FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { Type } from "typebox";
import { type Fault, faultOf, isUnavailable, tellFault } from "../database/sql-state.js";
import { EXPOSED } from "./cors.js";

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

/** What a request was answered with. */
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

/** Milliseconds between two lines of a fault, which every request would write, and the same of those that last until somebody mends them. */
const [QUIET_MS, MENDED_MS] = [1_000, 60_000];
const MENDED: readonly Fault[] = ["password", "disk"];

const toldAt = new Map<Fault, number>();

/** Says what keeps the database from storing or reading. */
const tellAway = (log: FastifyBaseLogger, cause: Error): void => {
  const [fault, now] = [faultOf(cause), performance.now()];
  if (now - (toldAt.get(fault) ?? Number.NEGATIVE_INFINITY) < (MENDED.includes(fault) ? MENDED_MS : QUIET_MS)) return;
  toldAt.set(fault, now);
  log.warn({ fault, reason: cause.message }, `the database is away: ${tellFault(cause)}`);
};

/** What is wrong with a content type. */
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

/** Answers with an error. */
export const sendError = (cause: FastifyError | HttpError, reply: FastifyReply): Answered => {
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
