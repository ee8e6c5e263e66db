import type { FastifyRequest } from "fastify";
import { isLoopbackAddress } from "./loopback.js";

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
