import type { FastifyInstance } from "fastify";
import { isLoopbackAddress } from "../base/loopback.js";

/** Who may read an answer; `credentials` where a browser may send its own, as beacons do. */
type Readers = "credentials" | "pages" | "nobody";

/** The header fields of an answer for a page of an origin; none where the request is of no page. */
export const originHeaders = (origin: string | undefined, readers: Readers = "credentials"): Record<string, string> =>
  origin === undefined || readers === "nobody"
    ? { vary: "Origin" }
    : {
        vary: "Origin",
        "access-control-allow-origin": origin,
        ...(readers === "credentials" && { "access-control-allow-credentials": "true" }),
      };

/** Names what pages may read besides, on an answer that has it. */
export const EXPOSED = "access-control-expose-headers";

/** What a browser is told before it sends; it may keep that for a day (they cap it: Chromium at two hours). */
const PREFLIGHT = {
  "access-control-allow-methods": "GET, HEAD, POST",
  "access-control-allow-headers": "Content-Type, Authorization, Accept",
  "access-control-max-age": "86400",
  // Some browsers wait for a body otherwise.
  "content-length": "0",
};

/**
 * Lets pages of every origin send events and read every answer, errors included. The origin is echoed, never `*`: a
 * beacon sends credentials, for which `*` does not count. The records may be read so, too, for they ask for a secret; not
 * where the service is for its own machine alone, whose token stands in the documents: there only its own pages, of the
 * same origin, read them. What the demo's pages read is for pages of this machine, and no credentials go with it.
 *
 * @param isAlone whether nobody but this machine can reach the service
 */
export const allowOrigins = (app: FastifyInstance, isAlone: boolean): void => {
  const shared = isAlone ? EVENTS : ALL_BUT_INSIDE;
  app.addHook("onRequest", ({ url, method, headers: { origin } }, reply, done) => {
    const isOfDemo = DEMO.test(url) && isLoopbackAddress(origin ?? "");
    const readers = shared.test(url) ? "credentials" : isOfDemo ? "pages" : "nobody";
    reply.headers(originHeaders(origin, readers));
    if (method !== "OPTIONS" || readers === "nobody") return done();
    reply.code(204).headers(PREFLIGHT).send();
  });
};

/** Paths; what is not in the interface asks for no token. */
const EVENTS = /^\/v1\/track\/events?(\?|$)/;
const ALL_BUT_INSIDE = /^\/(?!(demo|docs|healthz|readyz|metrics)\b)/;
const DEMO = /^\/demo\//;
