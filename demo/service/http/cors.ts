import cors, { type FastifyCorsOptions } from "@fastify/cors";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { isLoopbackAddress } from "../config/loopback.js";

/** Seconds that a browser may keep the answer to a preflight: a day (browsers cap it: Chromium at two hours). */
const MAX_AGE_S = 86_400;
const EXPOSED = "Retry-After, Tracklet-Batch";

/** The header fields of an answer that is given before the plugin runs (a request line that cannot be read). */
export const originHeaders = (origin: string | undefined): Record<string, string> => ({
  vary: "Origin",
  "x-content-type-options": "nosniff",
  "access-control-expose-headers": EXPOSED,
  ...(origin !== undefined && {
    "access-control-allow-origin": origin,
    "access-control-allow-credentials": "true",
  }),
});

const COMMON: FastifyCorsOptions = {
  methods: ["GET", "HEAD", "POST"],
  allowedHeaders: ["Content-Type", "Authorization", "Accept"],
  exposedHeaders: [EXPOSED],
  maxAge: MAX_AGE_S,
  strictPreflight: false,
};
const EVERYBODY: FastifyCorsOptions = { ...COMMON, origin: true, credentials: true };
const THIS_MACHINE: FastifyCorsOptions = { ...COMMON, origin: true, credentials: false };
const NOBODY: FastifyCorsOptions = { origin: false };

/**
 * Lets pages of every origin send events and read every answer, errors included. The origin is echoed, never `*`: a
 * beacon sends credentials, for which `*` does not count. The records may be read so, too, for they ask for a secret; not
 * where the service is for its own machine alone, whose token stands in the documents: there only its own pages, of the
 * same origin, read them. What the demo's pages read is for pages of this machine, and no credentials go with it.
 *
 * @param isAlone whether nobody but this machine can reach the service
 */
export const allowOrigins = async (app: FastifyInstance, isAlone: boolean): Promise<void> => {
  const shared = isAlone ? EVENTS : ALL_BUT_INSIDE;
  await app.register(
    cors,
    () =>
      ({ url, headers }: FastifyRequest, give: (error: Error | null, options: FastifyCorsOptions) => void) => {
        const isOfDemo = DEMO.test(url) && isLoopbackAddress(headers.origin ?? "");
        give(null, shared.test(url) ? EVERYBODY : isOfDemo ? THIS_MACHINE : NOBODY);
      },
  );
};

/** Paths; what is not in the interface asks for no token. */
const EVENTS = /^\/v1\/track\/events?(\?|$)/;
const ALL_BUT_INSIDE = /^\/(?!(demo|docs|healthz|readyz|metrics)\b)/;
const DEMO = /^\/demo\//;
