import { Type } from "typebox";
import { UUID } from "./exact-text.js";

/** Levels of objects and arrays in the `params` of an event, `params` itself being the first. */
export const MAX_PARAMS_DEPTH = 64;

const open = { additionalProperties: true };

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

/** Events on a page of `/v2/events` when `limit` is absent, and the most of them. */
const [DEFAULT_EVENTS, MAX_EVENTS] = [100, 1_000];
const Time = (meaning: string) =>
  Type.Optional(
    Type.Integer({ minimum: 0, description: `${meaning}; epoch milliseconds, or a day or a time (ISO 8601)` }),
  );
const NotEmpty = Type.Optional(Type.String({ minLength: 1 }));

export const EventQuery = Type.Object({
  contact_uid: NotEmpty,
  account_uid: NotEmpty,
  event_uid: NotEmpty,
  since: Time("Received from then on"),
  until: Time("Received before"),
  after: Type.Optional(
    Type.String({
      pattern: UUID.source,
      description: "Behind the event with this id, as far as events are settled: nothing is missed, nothing repeated",
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
        settled: Type.Boolean({ description: "Whether all events before it are known, so that `after` may name it" }),
      }),
    ),
    pagination: Type.Object({
      limit: Type.Integer(),
      count: Type.Integer(),
      next: Type.String({ description: "URL of what comes behind the settled events of this page, now or later" }),
    }),
  },
  { description: "One page of events" },
);
