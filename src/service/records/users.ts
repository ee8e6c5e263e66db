import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { type Static, Type } from "typebox";
import { countIn, type Database } from "../database/database.js";
import { errors } from "../http/error-answers.js";
import { nextPage, ownUrl } from "../http/own-host.js";
import { readIntegers } from "../http/validation.js";

/** Users on a page when `limit` is absent, and the most of them. */
const DEFAULT_PAGE = 25;
const MAX_PAGE = 100;

export const User = Type.Object(
  {
    object: Type.Literal("user"),
    id: Type.String(),
    created_at: Type.Integer({ description: "Unix epoch, seconds" }),
    email: Type.String(),
    name: Type.String(),
    role: Type.String(),
    enabled: Type.Boolean(),
  },
  { additionalProperties: true, $id: "User" },
);

export const UserList = Type.Object(
  {
    object: Type.Literal("user.list"),
    data: Type.Array(Type.Ref("User#")),
    pagination: Type.Object({
      total: Type.Integer({ description: "Users in all" }),
      offset: Type.Integer(),
      limit: Type.Integer({ description: "Page size applied" }),
      count: Type.Integer({ description: "Users on this page" }),
      next: Type.Union([Type.String(), Type.Null()], { description: "URL of the next page; null on the last" }),
    }),
  },
  { $id: "UserList", description: "One page of users" },
);

/** All optional: the validation fills in the defaults. */
const UserQuery = Type.Object({
  offset: Type.Optional(Type.Integer({ minimum: 0, default: 0, description: "Offset of the first result" })),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      default: DEFAULT_PAGE,
      description: `Results a page; above ${MAX_PAGE} is treated as ${MAX_PAGE}`,
    }),
  ),
  order: Type.Optional(Type.Enum(["asc", "desc"], { default: "desc" })),
  sort: Type.Optional(Type.Enum(["created_at"], { default: "created_at", description: "Field to sort by" })),
});

/**
 * `GET /v2/users`: the users, page by page.
 *
 * @param publicUrl address of the service for `next`, where it is not the one that the client asked
 */
export const userRoutes =
  (database: Database, publicUrl?: string): FastifyPluginAsyncTypebox =>
  async (app) => {
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
        const [total, data] = await Promise.all([
          countIn(database.query, "users WHERE workspace = $1", [request.workspace]),
          database.query<Static<typeof User>>(
            `SELECT 'user' AS object, id, email, name, role, enabled, created_at FROM users
             WHERE workspace = $1 ORDER BY created_at ${order}, id ${order} LIMIT $2 OFFSET $3`,
            [request.workspace, limit, offset],
          ),
        ]);
        const next =
          offset + data.length < total && data.length > 0
            ? `${ownUrl(request, publicUrl)}/v2/users?${nextPage(request, UserQuery, { offset: offset + data.length, limit })}`
            : null;
        return {
          object: "user.list" as const,
          data,
          pagination: { total, offset, limit, count: data.length, next },
        };
      },
    );
  };
