import type { FastifyInstance, FastifyRequest } from "fastify";
import { isLoopbackAddress } from "../base/loopback.js";
import { HttpError } from "./error-answers.js";

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

/**
 * The address under which a client finds this service. Anything may stand in a request's `Host`: it is believed where
 * it names this machine, and else replaced by the address that the request came to.
 *
 * @param publicUrl the address that the configuration gives, which goes before
 */
export const ownUrl = (request: FastifyRequest, publicUrl?: string): string => {
  if (publicUrl !== undefined) return publicUrl;
  const asked = `${request.protocol}://${request.host}`;
  // HTTP/1.0 has no Host.
  if (request.host && isLoopbackAddress(asked)) return asked;
  const { localAddress = "", localPort } = request.socket;
  return `${request.protocol}://${localAddress.includes(":") ? `[${localAddress}]` : localAddress}:${localPort}`;
};

/**
 * The parameters of the next page: of the client's own those that mean something here, in its order.
 *
 * @param known the schema of the parameters
 * @param next those that say where the page is
 */
export const nextPage = (
  request: FastifyRequest,
  known: { properties: object },
  next: Record<string, unknown>,
): URLSearchParams => {
  const query = new URLSearchParams(request.url.split("?")[1]);
  for (const name of new Set(query.keys())) if (!(name in known.properties)) query.delete(name);
  for (const [name, value] of Object.entries(next)) query.set(name, String(value));
  return query;
};
