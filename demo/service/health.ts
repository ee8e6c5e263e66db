import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { Database } from "./database.js";
import { unavailable } from "./errors.js";

/** Milliseconds that the database gets to answer: whoever asks for readiness asks again soon. */
const PATIENCE_MS = 2_000;

/** `GET /healthz`: the process answers. `GET /readyz`: the database answers as well, so that events can be stored. */
export const healthRoutes =
  (database: Database): FastifyPluginAsyncTypebox =>
  async (app) => {
    const options = { config: { rateLimit: false }, schema: { hide: true } };
    app.get("/healthz", options, async () => ({ status: "ok" }));
    app.get("/readyz", options, async () => {
      let late: NodeJS.Timeout | undefined;
      const given = new Promise<never>((_, reject) => {
        late = setTimeout(() => reject(unavailable()), PATIENCE_MS);
      });
      await Promise.race([database.query("SELECT 1"), given]).finally(() => clearTimeout(late));
      return { status: "ok" };
    });
  };
