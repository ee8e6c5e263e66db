import type { FastifyInstance } from "fastify";
import { refuseOtherPages } from "./switch-routes.js";

/** The events that were made, so that the numbers show something before there are visitors. */
export interface MadeEvents {
  count(): Promise<number>;
  remove(): Promise<number>;
}

const NONE: MadeEvents = { count: async () => 0, remove: async () => 0 };

/** `GET /made-events`: how many there are. `POST /made-events/remove` takes them out. */
export const madeRoutes = (site: FastifyInstance, made = NONE): void => {
  site.get("/made-events", async (_, reply) =>
    reply.header("cache-control", "no-store").send({ events: await made.count().catch(() => 0) }),
  );
  site.post("/made-events/remove", { onRequest: refuseOtherPages }, async () => ({ events: await made.remove() }));
};
