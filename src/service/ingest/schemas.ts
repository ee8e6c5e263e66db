import { type Static, Type } from "typebox";

export const EVENT_PATH = "/v1/track/event";
/** Of several events. */
export const BATCH_PATH = `${EVENT_PATH}s`;
/** Events, and bytes after unpacking, of one request. */
export const [MAX_BATCH_EVENTS, MAX_BATCH_BYTES] = [1_000, 1_000_000];
/** What `Tracklet-Batch` says with an answer: the most events of a request, an integer (RFC 9651). */
export const OFFER = String(MAX_BATCH_EVENTS);

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
            "of events with the same stamp, `event_id`, one is stored.",
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
  {
    status: Type.Literal("success"),
    ignored: Type.Optional(Type.Array(Type.String(), { description: "Members of the body that are not stored" })),
  },
  { $id: "Success", description: "The event is committed" },
);

export const Verdict = Type.Object({
  index: Type.Integer({ description: "Place in the request, from 0" }),
  status: Type.Enum(["stored", "repeated", "refused", "again"]),
  why: Type.Optional(Type.String({ description: "Of `refused` and `again`, for a person" })),
  ignored: Type.Optional(Type.Array(Type.String(), { description: "Members of the event that are not stored" })),
});
export type Verdict = Static<typeof Verdict>;
export const Verdicts = Type.Array(Verdict, { description: "What became of each event, in their order" });
