/** Answers to requests that no route gets: they are no HTTP, or ask for what is understood nowhere or not there. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from "fastify";
import { commonHeaders } from "./cors.js";
import { HttpError, sendError } from "./errors.js";

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
