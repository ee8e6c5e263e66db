import type { FastifyInstance } from "fastify";
import ipaddr from "ipaddr.js";
import type { ServiceConfig } from "../config/options.js";

/** Events that are looked at. */
const LOOKED_AT = 20;

/**
 * Says once where the service seems to stand behind a web server that it does not know: all of its first events come from one
 * address of a private network, each with `X-Forwarded-For`. Then all visitors count as one address.
 */
export const tellUnseenProxy = (app: FastifyInstance, { trustProxy }: Pick<ServiceConfig, "trustProxy">): void => {
  if (trustProxy.length > 0) return;
  let [proxy, seen] = ["", 0];
  app.addHook("onRequest", ({ ip, method, headers }, _reply, done) => {
    if (seen < LOOKED_AT && method === "POST") {
      seen += 1;
      if (seen === 1) proxy = ip;
      const isPassedOn = ip === proxy && headers["x-forwarded-for"] !== undefined;
      if (!isPassedOn || ipaddr.process(ip).range() === "unicast") seen = LOOKED_AT + 1;
      if (seen === LOOKED_AT)
        app.log.warn(
          `all events come from ${ip}, with X-Forwarded-For: if that is your web server, set TRACKLET_TRUST_PROXY=${ip} and TRACKLET_PUBLIC_URL; until then all visitors count as one address`,
        );
    }
    done();
  });
};
