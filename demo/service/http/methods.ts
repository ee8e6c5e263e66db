import type { FastifyInstance, HTTPMethods } from "fastify";

/**
 * Answers 405 with `Allow` (RFC 9110 §15.5.6) to the other methods of each path that is registered after this call.
 *
 * @returns registers those answers, to be called after the last route
 */
export const refuseOtherMethods = (app: FastifyInstance): (() => void) => {
  const allowed = new Map<string, Set<string>>();
  app.addHook("onRoute", ({ url, method }) => {
    if (url === "*") return;
    const methods = allowed.get(url) ?? new Set();
    for (const one of [method].flat()) methods.add(one);
    allowed.set(url, methods);
  });
  return () => {
    for (const [url, methods] of [...allowed]) {
      const allow = [...methods, "OPTIONS"].join(", ");
      app.route({
        url,
        method: app.supportedMethods.filter((method) => !methods.has(method) && method !== "OPTIONS") as HTTPMethods[],
        schema: { hide: true },
        // Before the body is looked at: its type or its size does not matter here.
        onRequest: async (request, reply) =>
          reply
            .code(405)
            .header("allow", allow)
            .send({ error: `${request.method} is not allowed here; allowed: ${allow}` }),
        handler: async () => {},
      });
    }
  };
};
