import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { FastifyBaseLogger } from "fastify";
import { faultOf } from "../database/sql-state.js";
import { unavailable } from "../http/errors.js";
import type { EventStore } from "../ingest/store.js";

/** Milliseconds that the database gets to answer: whoever asks for readiness asks again soon. */
const PATIENCE_MS = 2_000;
/** Milliseconds for which an answer holds, whoever asks. */
const VALID_MS = 1_000;

/**
 * `GET /healthz`: the process answers. `GET /readyz`: an event can be stored, for what an event needs was tried within
 * the last second.
 */
export const healthRoutes =
  (store: Pick<EventStore, "probe">): FastifyPluginAsyncTypebox =>
  async (app) => {
    const options = { config: { unlimited: true }, schema: { hide: true } };
    let probed: Promise<void> | undefined;
    let probedAt = 0;
    const probe = (log: FastifyBaseLogger): Promise<void> => {
      if (probed === undefined || performance.now() - probedAt > VALID_MS) {
        probedAt = performance.now();
        probed = patiently(store.probe()).catch((error: Error) => {
          log.warn({ fault: faultOf(error), reason: error.message }, "no event can be stored");
          throw unavailable();
        });
      }
      return probed;
    };

    app.get("/healthz", options, async () => ({ status: "ok" }));
    app.get("/readyz", options, async ({ log }) => {
      await probe(log);
      return { status: "ok" };
    });
  };

const patiently = async (work: Promise<void>): Promise<void> => {
  let late: NodeJS.Timeout | undefined;
  const given = new Promise<never>((_, reject) => {
    late = setTimeout(() => reject(new Error(`the database gave no answer within ${PATIENCE_MS} ms`)), PATIENCE_MS);
  });
  await Promise.race([work, given]).finally(() => clearTimeout(late));
};
