import type { Server } from "node:http";
import type { FastifyHttpOptions } from "fastify";
import type { ServiceConfig } from "../config/options.js";
import { answerBadHttp, answerBadUrl } from "./unrouted.js";

/** A connection that stalls for longer is not worth its socket. */
const REQUEST_TIMEOUT_MS = 30_000;

/** How requests are taken: from where, how long they may take to arrive, and what comes before a route. */
export const serverOptions = (
  { trustProxy }: Pick<ServiceConfig, "trustProxy">,
  requestTimeoutMs = REQUEST_TIMEOUT_MS,
) =>
  ({
    // While closing, what still arrives is served: Fastify's own 503 has another body and no CORS headers.
    return503OnClosing: false,
    // Closing has a bound of its own, and the end of a server of its own may take longer than Fastify would wait.
    pluginTimeout: 0,
    trustProxy: trustProxy.length > 0 ? trustProxy : false,
    requestTimeout: requestTimeoutMs,
    // Node looks for late requests every 30 s unless told otherwise, and of two time-outs takes the longer for the body's.
    http: {
      requestTimeout: requestTimeoutMs,
      headersTimeout: requestTimeoutMs,
      connectionsCheckingInterval: requestTimeoutMs / 15,
    },
    frameworkErrors: answerBadUrl,
    clientErrorHandler: answerBadHttp,
  }) satisfies FastifyHttpOptions<Server>;
