import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";

export interface ServiceState {
  state: "up" | "down" | "starting" | "stopping";
  /** May a page stop it, or start it, now? */
  canSwitch: boolean;
  /** When it was away, in epoch milliseconds; the last one has no end while it lasts. */
  outages: [from: number, to: number | null][];
}

/** What pages may ask of the service's process. */
export interface ServiceSwitch {
  state(): Promise<ServiceState>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** Only the site's own pages may change anything. Another page in the same browser can send a request here, but not with this origin. */
export const refuseOtherPages = async (
  { headers: { origin, host } }: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> =>
  origin === `http://${host}`
    ? undefined
    : reply.code(403).send({ error: "only the demo's own pages may change anything" });

/** `GET /service`: its state. `POST /service/start` and `POST /service/stop` are answered once they have begun. */
export const switchRoutes = (site: FastifyInstance, service: ServiceSwitch): void => {
  const uncached = (reply: FastifyReply): FastifyReply => reply.header("cache-control", "no-store");
  site.get("/service", async (_, reply) => uncached(reply).send(await service.state()));
  for (const change of ["start", "stop"] as const)
    site.post(`/service/${change}`, { onRequest: refuseOtherPages }, async (_, reply) => {
      void service[change]();
      return uncached(reply).code(202).send({});
    });
};
