import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { Static } from "typebox";
import type { Database } from "./database.js";
import { errors } from "./error-schemas.js";
import { nextPage, ownUrl } from "./own-url.js";
import { createUserPages } from "./user-pages.js";
import { MAX_PAGE, UserList, UserQuery } from "./user-schemas.js";
import { readIntegers } from "./validation.js";

/**
 * `GET /v2/users`: the users, page by page.
 *
 * @param publicUrl address of the service for `next`, where it is not the one that the client asked
 */
export const userRoutes =
  (database: Database, publicUrl?: string): FastifyPluginAsyncTypebox =>
  async (app) => {
    const readPage = createUserPages(database);
    app.get(
      "/v2/users",
      {
        preValidation: readIntegers("offset", "limit"),
        schema: {
          operationId: "listUsers",
          tags: ["records"],
          summary: "List users",
          description: "Sorted by creation time, and by id where that is equal.",
          security: [{ bearer: [] }],
          querystring: UserQuery,
          response: { 200: UserList, ...errors(400, 401, 404, 405, 429, 500, 503) },
        },
      },
      async (request) => {
        const { offset, limit: wanted, order } = request.query as Required<Static<typeof UserQuery>>;
        const limit = Math.min(wanted, MAX_PAGE);
        const { total, rows } = await readPage({ workspace: request.workspace, offset, limit, order });
        const next =
          offset + rows.length < total && rows.length > 0
            ? `${ownUrl(request, publicUrl)}/v2/users?${nextPage(request, UserQuery, { offset: offset + limit, limit })}`
            : null;
        return {
          object: "user.list" as const,
          data: rows.map((row) => ({ object: "user", ...row, created_at: Number(row.created_at) })),
          pagination: { total, offset, limit, count: rows.length, next },
        };
      },
    );
  };
