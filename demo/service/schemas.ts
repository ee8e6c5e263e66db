import { Type } from "typebox";

/** Levels of objects and arrays in the `params` of an event, `params` itself being the first. */
export const MAX_PARAMS_DEPTH = 64;
/** Users on a page when `limit` is absent, and the most of them. */
export const DEFAULT_PAGE = 25;
export const MAX_PAGE = 100;

const open = { additionalProperties: true };

export const ErrorBody = Type.Object(
  { error: Type.String({ description: "What is wrong, for a person" }) },
  { $id: "Error" },
);

export const EventInput = Type.Object(
  {
    contact_uid: Type.String({ minLength: 1, description: "Unique id of the contact that the event belongs to" }),
    event_uid: Type.String({ minLength: 1, description: "Name of the action; `pageview` denotes a page view" }),
    params: Type.Optional(
      Type.Object(
        {},
        {
          ...open,
          description:
            "Free parameters, nested at most 64 levels. Known are `account_uid`, `display_name`, `visit_url` (text); " +
            "of events with the same `event_id` (text) one is stored.",
        },
      ),
    ),
  },
  {
    ...open,
    $id: "Event",
    examples: [
      {
        contact_uid: "contact-001",
        event_uid: "registration",
        params: { account_uid: "account-01", display_name: "Registration" },
      },
    ],
  },
);

export const Success = Type.Object(
  { status: Type.Literal("success") },
  { $id: "Success", description: "The event is committed" },
);

const Seconds = Type.Integer({ description: "Unix epoch, seconds" });
export const Stage = Type.Object({ name: Type.String(), id: Type.String() }, open);
const Metrics = Type.Object({ health: Type.Optional(Type.Integer()) }, open);
const Data = Type.Object({}, { ...open, description: "Custom attributes" });
const references = <T extends "account" | "contact">(kind: T) =>
  Type.Object({
    object: Type.Literal(`${kind}.list`),
    data: Type.Array(Type.Object({ id: Type.String() })),
  });

export const Account = Type.Object(
  {
    object: Type.Literal("account"),
    id: Type.String({ description: "Internal id" }),
    unique_id: Type.String({ description: "The caller's id (`uid`)" }),
    created_at: Seconds,
    data: Data,
    stage: Type.Optional(Stage),
    salesmachine: Metrics,
    contacts: references("contact"),
  },
  { ...open, $id: "Account", description: "An account" },
);

export const Contact = Type.Object(
  {
    object: Type.Literal("contact"),
    id: Type.String({ description: "Internal id" }),
    unique_id: Type.String({ description: "The caller's id (`uid`)" }),
    created_at: Seconds,
    archived: Type.Boolean(),
    data: Data,
    stage: Type.Optional(Stage),
    salesmachine: Metrics,
    accounts: references("account"),
  },
  { ...open, $id: "Contact", description: "A contact" },
);

export const User = Type.Object(
  {
    object: Type.Literal("user"),
    id: Type.String(),
    created_at: Seconds,
    email: Type.String(),
    name: Type.String(),
    role: Type.String(),
    enabled: Type.Boolean(),
  },
  { ...open, $id: "User" },
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

/** Events on a page of `/v2/events` when `limit` is absent, and the most of them. */
const [DEFAULT_EVENTS, MAX_EVENTS] = [100, 1_000];
const Time = (meaning: string) =>
  Type.Optional(Type.Integer({ minimum: 0, description: `${meaning}; epoch milliseconds` }));
const NotEmpty = Type.Optional(Type.String({ minLength: 1 }));

export const EventQuery = Type.Object({
  contact_uid: NotEmpty,
  account_uid: NotEmpty,
  event_uid: NotEmpty,
  since: Time("Received from then on"),
  until: Time("Received before"),
  after: Type.Optional(
    Type.String({
      pattern: "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$",
      description: "Behind the event with this id",
    }),
  ),
  limit: Type.Integer({ minimum: 1, maximum: MAX_EVENTS, default: DEFAULT_EVENTS, description: "Results a page" }),
});

const Nullable = <T extends ReturnType<typeof Type.String | typeof Type.Integer>>(type: T) =>
  Type.Union([type, Type.Null()]);

export const EventList = Type.Object(
  {
    object: Type.Literal("event.list"),
    data: Type.Array(
      Type.Object({
        object: Type.Literal("event"),
        id: Type.String({ description: "Sorts by the time of storing" }),
        received_at: Type.Integer({ description: "Unix epoch, milliseconds" }),
        occurred_at: Nullable(Type.Integer({ description: "`params.occurred_at`, where it is plausible" })),
        contact_uid: Type.String(),
        account_uid: Nullable(Type.String()),
        event_uid: Type.String(),
        params: Type.Object({}, open),
      }),
    ),
    pagination: Type.Object({
      limit: Type.Integer(),
      count: Type.Integer(),
      next: Type.Union([Type.String(), Type.Null()], { description: "URL of the next page; null on the last" }),
    }),
  },
  { description: "One page of events" },
);

/** The answers with an error body, for a route's schema. */
export const errors = <const Status extends number>(...statuses: Status[]) =>
  Object.fromEntries(
    statuses.map((status) => [status, { description: MEANING[status] ?? "Error", ...Type.Ref("Error#") }]),
  );

const MEANING: Record<number, string> = {
  400: "Something in the request is wrong; the text names it",
  401: "The token is wrong or missing",
  404: "The object was not found",
  405: "The method is not allowed here; `Allow` names those that are",
  413: "The body is too large",
  415: "The body is neither `application/json` nor `text/plain` holding JSON",
  429: "Too many requests; `Retry-After` says how many seconds to wait",
  500: "The service failed",
  503: "The service cannot store or read now; `Retry-After` says when to try again",
};
