import { createHash, timingSafeEqual } from "node:crypto";
import type { FastifyPluginAsync } from "fastify";
import { HttpError } from "./errors.js";
import type { Metrics } from "./metrics.js";

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

/**
 * `GET /metrics`: the counts in the text format of Prometheus.
 *
 * @param token what has to come as `Authorization: Bearer`, if anything
 */
export const metricsRoute =
  ({ registry }: Metrics, token: string | undefined): FastifyPluginAsync =>
  async (app) => {
    app.get("/metrics", { config: { rateLimit: false }, schema: { hide: true } }, async (request, reply) => {
      const given = request.headers.authorization ?? "";
      if (token !== undefined && !timingSafeEqual(digest(given), digest(`Bearer ${token}`)))
        throw new HttpError(401, "the metrics token is wrong or missing: send Authorization: Bearer <token>", {
          "www-authenticate": 'Bearer realm="metrics"',
        });
      return reply.type(registry.contentType).send(await registry.metrics());
    });
  };
