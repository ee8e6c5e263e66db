import { Type } from "typebox";
import { Account, Contact } from "../../records/records.js";
import {
  Active,
  Count,
  CountedTo,
  Counts,
  Cut,
  Events,
  Id,
  list,
  Named,
  Nullable,
  Pages,
  People,
  Referrers,
  Time,
  Told,
} from "../number-schemas.js";

/* What is answered of the people behind the numbers. */

export const Accounts = Type.Object(
  {
    ...{ object: Type.Literal("numbers.accounts"), ...Told, counted_to: CountedTo },
    ...{
      active: Count("Active in this time"),
      falling: Count("Active, with at least a quarter fewer events than before"),
    },
    silent: Count("Active in the time before, and not in this one"),
    ...{ total: Count("Accounts that match"), offset: Type.Integer() },
    others: Nullable(
      Type.Object(
        { total: Type.Integer(), events: Type.Integer() },
        {
          description:
            "Where they are more than ten times the others: accounts of which events alone tell, without data, stage or health. They are counted, " +
            "found by `search`, and listed where `others` is true",
        },
      ),
    ),
    data: list({
      ...Named,
      ...{ contacts: Count("Its members"), active_contacts: Count("Members that were active") },
      ...{
        events: Type.Integer(),
        before: Type.Integer(),
        change: Type.Integer(),
        counts: Counts,
        counts_before: Counts,
      },
      last_seen_on: Type.String({ description: "The day on which it was last seen" }),
    }),
  },
  { description: "A page of accounts" },
);
const Figures = Type.Object({
  ...{ events: Events, pages: Pages, referrers: Referrers, people: People, contacts: Active("contacts"), cut: Cut },
});
export const OneAccount = Type.Object({
  ...{ object: Type.Literal("numbers.account"), ...Told, ...Named },
  ...{ created_at: Account.properties.created_at, data: Account.properties.data, stage: Account.properties.stage },
  salesmachine: Account.properties.salesmachine,
  members: Type.Object({
    total: Type.Integer(),
    data: list({ ...Named, events: Count("In this account"), last_seen_at: Nullable(Time("In this account")) }),
  }),
  days: Type.Object(
    { starts: Type.Array(Type.Integer()), counts: Type.Array(Type.Integer()) },
    { description: "Events of 90 days" },
  ),
  figures: Figures,
});
export const OneContact = Type.Object({
  ...{ object: Type.Literal("numbers.contact"), ...Named },
  ...{ created_at: Contact.properties.created_at, archived: Type.Boolean(), data: Contact.properties.data },
  ...{ stage: Contact.properties.stage, salesmachine: Contact.properties.salesmachine },
  memberships: Type.Object({ total: Type.Integer(), data: list(Named) }),
  events: Type.Integer(),
  ...{
    first_seen_at: Nullable(Time("By the first event that is stored")),
    last_seen_at: Nullable(Time("By the last one")),
  },
});
export const TimeLine = Type.Object({
  object: Type.Literal("numbers.events"),
  data: list({
    ...{ id: Id, received_at: Time("When it was received"), occurred_at: Nullable(Time("`params.occurred_at`")) },
    ...{ contact: Type.Object({ id: Id, name: Type.String() }), account_uid: Nullable(Type.String()) },
    ...{
      event_uid: Type.String(),
      params: Type.String({ description: "JSON, as it was sent; its first 4,000 characters" }),
    },
  }),
  next: Nullable(Type.String({ description: "`before` of the next page" })),
});
export const Returning = Type.Object({
  object: Type.Literal("numbers.returning"),
  of: Type.String(),
  data: list({
    week: Type.String({ description: "Monday of the week in which they were first seen (UTC)" }),
    began: Count("First seen in it"),
    active: Type.Array(Type.Integer(), {
      description: "Of them active 1, 2, … 8 weeks later, as far as these have begun",
    }),
  }),
});

export const LeftOut = Type.Object({
  object: Type.Literal("numbers.left_out"),
  data: list({ kind: Type.Enum(["account", "contact"]), ...Named }),
});

/** What a path names. */
export const One = Type.Object({ id: Id });
