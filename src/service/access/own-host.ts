import type { FastifyInstance } from "fastify";
import { isLoopbackAddress } from "../base/loopback.js";
import { HttpError } from "../http/errors.js";

/**
 * Refuses requests that ask for another host than this machine. A page of the internet whose name suddenly resolves
 * to 127.0.0.1 (DNS rebinding) is of the same origin as the service then, and no rule on origins holds it off.
 */
export const refuseOtherHosts = (app: FastifyInstance): void => {
  app.addHook("onRequest", ({ headers: { host } }, _reply, done) => {
    const isOther = host !== undefined && !isLoopbackAddress(`http://${host}`);
    done(
      isOther ? new HttpError(421, "this server is for this machine alone: ask for localhost or 127.0.0.1") : undefined,
    );
  });
};
