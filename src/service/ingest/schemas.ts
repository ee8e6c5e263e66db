import { type Static, Type } from "typebox";
import { EVENT_PATH } from "../../shared/option-values.js";

/** What is counted, as Prometheus reads it: what each is, and its labels. */
export const COUNTED = {
  events_refused_total: [
    "Events that were not stored, by reason, and by workspace where a token said which",
    "reason",
    "workspace",
  ],
  events_obeyed_total: ["Events that were not stored, as their browser asks for it (Sec-GPC, TRACKLET_GPC)"],
  events_with_ignored_members_total: [
    "Events whose body had members besides contact_uid, event_uid and params, which were left out",
  ],
  events_without_record_total: [
    "Events stored without a look at the records of contact and account: their address had made too many that day",
  ],
  events_of_erased_total: [
    "Events that were answered with success and left out: their contact was erased after they had occurred",
    "workspace",
  ],
  identity_proofs_total: [
    "Proofs of identity that were looked at, by workspace and whether they held",
    "result",
    "workspace",
  ],
  new_contacts_total: ["Contacts that events have made"],
  new_event_names_total: ["Events of a name that has not come before, as far as is remembered"],
  wrong_tokens_total: ["Requests with a wrong token for what is read or administered, by what it was for", "realm"],
} as const satisfies Record<string, readonly [help: string, ...labels: string[]]>;
/** Counts one of these, once or `amount` times. */
export type Count = (name: keyof typeof COUNTED, labels?: Record<string, string>, amount?: number) => void;

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
