import cors, { type FastifyCorsOptions } from "@fastify/cors";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { isLoopbackAddress } from "../config/loopback.js";

/** Seconds that a browser may keep the answer to a preflight: a day (browsers cap it: Chromium at two hours). */
const MAX_AGE_S = 86_400;
const EXPOSED = "Retry-After";

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
 * Lets pages of every origin call the interface and read every answer, errors included. The origin is echoed, never
 * `*`: a beacon sends credentials, for which `*` does not count. What is outside the interface asks for no token, so
 * only pages of this machine may read it, and no credentials go with it.
 */
export const allowOrigins = async (app: FastifyInstance): Promise<void> => {
  await app.register(
    cors,
    () => (request: FastifyRequest, give: (error: Error | null, options: FastifyCorsOptions) => void) => {
      const isOutside = OUTSIDE.test(request.url);
      give(null, !isOutside ? EVERYBODY : isLoopbackAddress(request.headers.origin ?? "") ? THIS_MACHINE : NOBODY);
    },
  );
};

/** Paths outside the interface. */
const OUTSIDE = /^\/(demo|docs|healthz|readyz|metrics)\b/;
