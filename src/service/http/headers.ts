import type { FastifyInstance } from "fastify";

/** An answer is taken for nothing but what it says that it is. */
const COMMON = { "x-content-type-options": "nosniff", vary: "Origin" };

/** The header fields of every answer: a page of an origin may read it; `undefined` where the request is of no page. */
export const commonHeaders = (origin: string | undefined): Readonly<Record<string, string>> =>
  origin === undefined
    ? COMMON
    : { ...COMMON, "access-control-allow-origin": origin, "access-control-allow-credentials": "true" };

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
 * of a service for trying out, whose token everybody knows: there only its own pages, of the same origin, read them.
 *
 * @param isDemo whether everybody knows the tokens
 */
export const allowOrigins = (app: FastifyInstance, isDemo: boolean): void => {
  app.addHook("onRequest", ({ url, method, headers: { origin } }, reply, done) => {
    const isShared = EVENTS.test(url) || !(isDemo || INSIDE.test(url));
    reply.headers(commonHeaders(isShared ? origin : undefined));
    if (method !== "OPTIONS" || !isShared) return done();
    reply.code(204).headers(PREFLIGHT).send();
  });
};

/** Paths; what is not in the interface asks for no token. */
const EVENTS = /^\/v1\/track\/events?(\?|$)/;
const INSIDE = /^\/(docs|healthz|readyz|metrics)\b/;

/** Header fields of every page: it is in no frame, taken for nothing but what it is, and its address is not passed on. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "same-origin",
};

/** The beginning of a content security policy, which allows nothing but what stands behind it. */
export const ALLOW_NOTHING = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The policy of the pages of numbers: their own files alone, and no markup made of text. */
export const PAGES_POLICY =
  `${ALLOW_NOTHING}; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; ` +
  "require-trusted-types-for 'script'; trusted-types 'none'";
