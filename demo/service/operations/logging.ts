import { type FastifyRequest, type FastifyServerOptions, LogController } from "fastify";
import type { ServiceConfig } from "../config/options.js";

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
