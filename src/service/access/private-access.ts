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

/** Refuses pages of other machines, and what a proxy passes on for them: for routes that ask for no token. */
export const refuseOtherMachines = (app: FastifyInstance): void => {
  app.addHook("onRequest", async ({ headers }) => {
    const { origin } = headers;
    if (
      (origin !== undefined && !isLoopbackAddress(origin)) ||
      headers["x-forwarded-for"] !== undefined ||
      headers.forwarded !== undefined
    )
      throw new HttpError(403, "only pages of this machine may read this");
  });
};
