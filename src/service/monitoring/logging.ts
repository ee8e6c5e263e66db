import { type FastifyRequest, type FastifyServerOptions, LogController } from "fastify";
import type { ServiceConfig } from "../config/options.js";
import { isOfUnit } from "../config/process-messages.js";
import { tellError } from "../database/sql-state.js";

/** A logger for each request would only add a number that stands in no other line. */
const WITHOUT_REQUESTS: FastifyServerOptions = {
  logController: new LogController({ disableRequestLogging: true }),
  childLoggerFactory: (logger) => logger,
};

/**
 * Options of Fastify for one JSON object a line on stdout. Requests are among them at `debug` and below. Neither a
 * header field nor the query of a URL is ever logged: tokens stand there.
 */
export const logOptions = (
  level: ServiceConfig["logLevel"],
): Pick<FastifyServerOptions, "logger" | "logController" | "childLoggerFactory"> => ({
  ...(level === "debug" || level === "trace" ? {} : WITHOUT_REQUESTS),
  logger: {
    level,
    // Of a unit of several processes each line says which.
    base: isOfUnit ? { process: process.pid } : null,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: {
      // An error of the database repeats rows in its details, and a message stands in a stack, too.
      err: (error: Error & { code?: string }) => ({
        type: error.name,
        code: error.code,
        message: tellError(error),
        stack: (error.stack ?? "")
          .split("\n")
          .filter((line) => /^ +at /.test(line))
          .join("\n"),
      }),
      req: ({ method, url, ip }: FastifyRequest) => ({ method, path: url.split("?", 1)[0]!, from: ip }),
    },
  },
});
