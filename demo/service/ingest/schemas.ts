import { Type } from "typebox";

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
  {
    status: Type.Literal("success"),
    ignored: Type.Optional(Type.Array(Type.String(), { description: "Members of the body that are not stored" })),
  },
  { $id: "Success", description: "The event is committed" },
);
