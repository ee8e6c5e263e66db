import { setTimeout as sleep } from "node:timers/promises";
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { FastifyBaseLogger } from "fastify";
import { faultOf } from "../database/sql-state.js";
import type { Behind } from "../days/lag.js";
import { unavailable } from "../http/error-answers.js";
import type { EventStore } from "../ingest/store/event-store.js";

/** Milliseconds that the database gets to answer: whoever asks for readiness asks again soon. */
const PATIENCE_MS = 2_000;
/** Milliseconds for which an answer holds, whoever asks. */
const VALID_MS = 1_000;

/**
 * `GET /healthz`: the process answers. `GET /readyz`: an event can be stored, for what an event needs was tried within
 * the last second; and, in seconds, how far the sums are behind where they are furthest.
 */
export const healthRoutes =
  (store: Pick<EventStore, "probe">, behind: Behind): FastifyPluginAsyncTypebox =>
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
      const told = await patiently(behind()).catch(() => []);
      return { status: "ok", sums_behind_seconds: Math.max(0, ...told.map(({ seconds }) => seconds)) };
    });
  };

const patiently = async <T>(work: Promise<T>): Promise<T> => {
  const late = new Error(`the database gave no answer within ${PATIENCE_MS} ms`);
  return Promise.race([work, sleep(PATIENCE_MS, undefined, { ref: false }).then(() => Promise.reject(late))]);
};
