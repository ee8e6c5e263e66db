import type { FastifyPluginAsync } from "fastify";
import { digests } from "../access/access.js";
import { sha256 } from "../access/token-store.js";
import { HttpError } from "../http/errors.js";
import type { Metrics } from "./metrics.js";

/**
 * `GET /metrics`: the counts in the text format of Prometheus.
 *
 * @param token what has to come as `Authorization: Bearer`, if anything; one or two
 */
export const metricsRoute =
  ({ type, tell }: Metrics, token: string | undefined): FastifyPluginAsync =>
  async (app) => {
    const tokens = token === undefined ? undefined : new Set(digests(token));
    app.get("/metrics", { config: { unlimited: true }, schema: { hide: true } }, async (request, reply) => {
      const given = request.headers.authorization ?? "";
      if (tokens?.has(sha256(given.replace(/^bearer +/i, ""))) === false)
        throw new HttpError(401, "the metrics token is wrong or missing: send Authorization: Bearer <token>", {
          "www-authenticate": 'Bearer realm="metrics"',
        });
      return reply.type(type).send(await tell());
    });
  };
