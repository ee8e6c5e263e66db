import { Type } from "typebox";

/** Users on a page when `limit` is absent, and the most of them. */
const DEFAULT_PAGE = 25;
export const MAX_PAGE = 100;

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
export const UserQuery = Type.Object({
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
