import cors from "@fastify/cors";
import type { FastifyInstance } from "fastify";

/** Seconds that a browser may keep the answer to a preflight: a day (browsers cap it: Chromium at two hours). */
const MAX_AGE_S = 86_400;
const EXPOSED = "Retry-After";

/** The header fields of an answer that is given before the plugin runs (a request line that cannot be read). */
export const originHeaders = (origin: string | undefined): Record<string, string> => ({
  vary: "Origin",
  "access-control-expose-headers": EXPOSED,
  ...(origin !== undefined && {
    "access-control-allow-origin": origin,
    "access-control-allow-credentials": "true",
  }),
});

/**
 * Lets pages of every origin call the service and read every answer, errors included. The origin is echoed, never
 * `*`: a beacon sends credentials, for which `*` does not count.
 */
export const allowAllOrigins = (app: FastifyInstance): void => {
  app.register(cors, {
    origin: true,
    credentials: true,
    methods: ["GET", "HEAD", "POST"],
    allowedHeaders: ["Content-Type", "Authorization", "Accept"],
    exposedHeaders: [EXPOSED],
    maxAge: MAX_AGE_S,
    strictPreflight: false,
  });
};
