import { type FastifyRequest, type FastifyServerOptions, LogController } from "fastify";
import type { ServiceConfig } from "./config.js";

/**
 * Options of Fastify for one JSON object a line on stdout. Requests are among them at `debug` and below. Neither a
 * header field nor the query of a URL is ever logged: tokens stand there.
 */
export const logOptions = (
  level: ServiceConfig["logLevel"],
): Pick<FastifyServerOptions, "logger" | "logController"> => ({
  logController: new LogController({ disableRequestLogging: level !== "debug" && level !== "trace" }),
  logger: {
    level,
    base: null,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: {
      req: ({ method, url, ip }: FastifyRequest) => ({ method, path: url.split("?", 1)[0]!, from: ip }),
    },
  },
});

/** Milliseconds between two lines of a kind that every request would write. */
const QUIET_MS = 1_000;

/** Runs `tell` at most once a second. */
export const createQuiet = (): ((tell: () => void) => void) => {
  let toldAt = Number.NEGATIVE_INFINITY;
  return (tell) => {
    if (performance.now() - toldAt < QUIET_MS) return;
    toldAt = performance.now();
    tell();
  };
};
