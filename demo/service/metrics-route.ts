import type { FastifyPluginAsync } from "fastify";
import { HttpError } from "./errors.js";
import type { Metrics } from "./metrics.js";
import { findToken } from "./tokens.js";

/**
 * `GET /metrics`: the counts in the text format of Prometheus.
 *
 * @param token what has to come as `Authorization: Bearer`, if anything; one or two
 */
export const metricsRoute =
  ({ registry }: Metrics, token: string | undefined): FastifyPluginAsync =>
  async (app) => {
    const tokens = token === undefined ? undefined : findToken([[token, "metrics"]]);
    app.get("/metrics", { config: { unlimited: true }, schema: { hide: true } }, async (request, reply) => {
      const given = request.headers.authorization ?? "";
      if (tokens !== undefined && tokens(given.replace(/^bearer +/i, "")) === undefined)
        throw new HttpError(401, "the metrics token is wrong or missing: send Authorization: Bearer <token>", {
          "www-authenticate": 'Bearer realm="metrics"',
        });
      return reply.type(registry.contentType).send(await registry.metrics());
    });
  };
