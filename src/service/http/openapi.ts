import swagger from "@fastify/swagger";
import swaggerUi from "@fastify/swagger-ui";
import type { FastifyInstance } from "fastify";
import { ALLOW_NOTHING, PAGE_HEADERS } from "./headers.js";

/** Describes the routes that are registered after this call, from the schemas that check them. */
export const describeRoutes = async (app: FastifyInstance): Promise<void> => {
  await app.register(swagger, {
    openapi: {
      openapi: "3.1.0",
      info: {
        title: "Customer data and event tracking",
        version: "1.0.0",
        description:
          "Read accounts, contacts and users; record events of contacts. Every answer that is not a success has " +
          'the body `{"error": "<text>"}`.',
      },
      tags: [
        { name: "events", description: "Recording" },
        { name: "records", description: "Reading" },
        { name: "admin", description: "What the admin token alone may do (of this service alone)" },
      ],
      components: {
        securitySchemes: {
          bearer: { type: "http", scheme: "bearer", description: "The access token" },
          basic: { type: "http", scheme: "basic", description: "The API token as user name, an empty password" },
          apiToken: { type: "apiKey", in: "query", name: "api_token", description: "The API token" },
        },
      },
    },
    hideUntagged: true,
    refResolver: { buildLocalReference: (json, _base, _fragment, index) => String(json.$id ?? `schema-${index}`) },
  });
  await app.register(swaggerUi, {
    routePrefix: "/docs",
    uiConfig: { docExpansion: "list", deepLinking: true, validatorUrl: null },
    // The page sets styles on its elements.
    staticCSP: `${ALLOW_NOTHING}; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'`,
    uiHooks: { onRequest: async (_request, reply) => void reply.headers(PAGE_HEADERS) },
  });
  app.get("/openapi.json", { schema: { hide: true } }, async () => app.swagger());
};
