import { type TSchema, Type } from "typebox";
import { UUID } from "../base/exact-text.js";
import { SPANS } from "../days/calendar.js";
import { Account, Contact } from "../records/account-and-contact.js";

/* What is asked for and answered by `/v2/numbers…`. */

const Count = (description: string) => Type.Integer({ description });
const Counts = Type.Array(Type.Integer(), { description: "By step" });
const Time = (description: string) => Type.Integer({ description: `${description}; epoch milliseconds` });
const Nullable = <T extends TSchema>(type: T) => Type.Union([type, Type.Null()]);
const list = <T extends Parameters<typeof Type.Object>[0]>(members: T) => Type.Array(Type.Object(members));
const Day = (description: string) => Type.String({ description });

const Change = { events: Count("In this time"), before: Count("In the time before") };
const Trend = Nullable(
  Type.Enum(["rising", "falling"], {
    description: "At least 25 % and two events more, or fewer, than in the time before",
  }),
);
const Sums = { total: Count("In all, the rest included"), before: Count("The same in the time before") };
const Id = Type.String({ pattern: UUID.source, description: "Internal id" });
const Named = {
  id: Id,
  unique_id: Type.String(),
  name: Type.String({ description: "`name` of its data, or its uid" }),
};
const keyed = <T extends Record<string, TSchema> = Record<never, TSchema>>(key: string, more = {} as T) =>
  Type.Array(Type.Object({ key: Type.String({ description: key }), ...Change, ...more }));
const Whose = { id: Id, name: Type.String() };

const Name = {
  event_uid: Type.String(),
  ...Change,
  last_on: Type.Optional(Day("The last day on which it came, whatever the time is")),
  contacts: Type.Optional(Count("Different contacts that did it in this time")),
  accounts: Type.Optional(Count("The same of accounts")),
};
const Events = Type.Object({
  ...Sums,
  trend: Type.Optional(Trend),
  data: list({ ...Name, counts: Counts }),
  others: Type.Object({ events: Type.Integer(), counts: Counts }, { description: "Of other names" }),
  more: Type.Array(Type.Object(Name), {
    description: "Other names that are kept, of all or of an account those of any time; 3,000 at most",
  }),
});
const Active = (what: string) =>
  Type.Object({ total: Count(`Different ${what}`), before: Count("The same in the time before"), counts: Counts });
const Changed = (description: string) =>
  Type.Optional(Type.Array(Type.Object({ ...Whose, key: Type.String(), ...Change }), { description }));
const SINCE = "Where there are more than the latest 20,000 events that match: from when on it is told whose they are";
const Figures = {
  events: Events,
  pages: Type.Object({ ...Sums, data: keyed("path") }, { description: "Page views by the path of `params.visit_url`" }),
  referrers: Type.Object(
    { ...Sums, data: keyed("host") },
    { description: "Page views by the host of `params.referrer`, where it is another one" },
  ),
  contacts: Active("contacts"),
  accounts: Active("accounts"),
  busiest: Type.Optional(
    Type.Object({ ...Sums, data: keyed("account_uid", Whose) }, { description: "Events by account" }),
  ),
  fell: Changed("Accounts that have lost most events"),
  rose: Changed("Accounts that have gained most, without new ones"),
  people: Type.Optional(
    Type.Object(
      {
        ...Sums,
        data: keyed("contact_uid", Whose),
        fell: Changed("Of a name: contacts that have lost most, those that do it no more among them"),
      },
      { description: "Events by contact" },
    ),
  ),
  without: Type.Optional(
    Type.Object(
      { total: Type.Integer(), of: Count("All that were active"), data: keyed("account_uid", Whose) },
      { description: "Of a name: accounts that were active, and did not do it, by all their events" },
    ),
  ),
  since: Type.Optional(Nullable(Time(SINCE))),
  last: Type.Optional(Nullable(Time("When the last event in this time that matches was received"))),
};

/** What each answer says of the time that it tells of, and how far it is counted. */
const Told = {
  time_zone: Type.String({ description: "In which days begin: that of the workspace" }),
  starts: Type.Array(Type.Integer(), { description: "The start of each step; epoch milliseconds" }),
  ends: Time("The end of the last step"),
  before: Type.Object(
    { from: Time("Its start"), to: Time("Its end") },
    {
      description:
        "The time before: as many days, and of a time that is not over as many hours of the last one as of today",
    },
  ),
  counted_to: Time("Up to when events are counted: about a minute ago"),
  first_on: Nullable(Day("The first day that has events: before it there is nothing to compare with")),
  counted_back_to: Nullable(Day("Days before this one are still being counted")),
  changing: Type.Boolean({ description: "Somebody's events are still being left out, or counted again" }),
  events_since: Nullable(Day("Of days before this one the totals alone are kept")),
};

export const Numbers = Type.Object(
  {
    object: Type.Literal("numbers"),
    span: Type.Optional(Type.String()),
    ...Told,
    ...Figures,
    last_event_at: Nullable(Time("When the last event was stored")),
    missing: Type.Object(
      {
        documents: Type.Integer(),
        events: Type.Integer(),
        missing: Type.Integer(),
        since: Nullable(Time("When the first of the latest 20,000 events was stored that has a number")),
      },
      {
        description:
          "Events that are missing by the numbers of documents that began since then; strangers can send numbers",
      },
    ),
  },
  { description: "Sums of events" },
);

const Health = {
  health: Type.String({ description: "As it was set, else by activity" }),
  health_source: Nullable(Type.String({ description: "`activity: …` where nobody has set it" })),
};
const SILENT = "Seen in the last 90 days, and not in the last 14, whatever the time is";
const Tabs = {
  active: Count("Active in this time"),
  new: Count("Those whose record began in it"),
  rising: Count("With at least a quarter more events than before, and two; not the new ones"),
  falling: Count("With at least a quarter fewer events than before, and two"),
  silent: Count(SILENT),
  call: Count("Those that fall or are silent"),
};
const Listed = {
  ...Change,
  change: Type.Integer(),
  trend: Trend,
  silent: Type.Boolean({ description: SILENT }),
  new: Type.Boolean({ description: "Its record began in this time, and nothing was done before" }),
  last_seen_on: Nullable(Day("The day on which it was last seen, whatever the time is")),
  left_out: Type.Boolean({ description: "It counts nowhere" }),
  ...Health,
};
export const Accounts = Type.Object(
  {
    object: Type.Literal("numbers.accounts"),
    ...Told,
    ...Tabs,
    total: Count("Accounts that match"),
    offset: Type.Integer(),
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
      contacts: Count("Its members"),
      active_contacts: Count("Contacts that were active in it"),
      ...Listed,
      counts: Counts,
      counts_before: Counts,
    }),
  },
  { description: "A page of accounts" },
);
export const Contacts = Type.Object(
  {
    object: Type.Literal("numbers.contacts"),
    ...Told,
    ...Tabs,
    total: Count("Contacts that match"),
    offset: Type.Integer(),
    data: list({
      ...Named,
      email: Nullable(Type.String({ description: "`email` of its data" })),
      accounts: list(Named),
      ...Listed,
    }),
  },
  { description: "A page of contacts" },
);
const { created_at, data, stage, salesmachine } = Account.properties;
export const OneAccount = Type.Object({
  object: Type.Literal("numbers.account"),
  ...Told,
  ...Named,
  created_at,
  data,
  stage,
  salesmachine,
  first_seen_at: Nullable(Time("The start of the day of its first event that is kept")),
  last_event_at: Nullable(Time("When its last event happened; of one that is left out, a stored one")),
  members: Type.Object({
    total: Type.Integer(),
    data: list({
      ...Named,
      events: Count("In this account"),
      last_seen_on: Nullable(Day("In this account")),
      left_out: Type.Boolean({ description: "It counts nowhere" }),
    }),
    left_out: Count("Of them left out"),
  }),
  days: Type.Object(
    { starts: Type.Array(Type.Integer()), counts: Type.Array(Type.Integer()) },
    { description: "Events of 90 days" },
  ),
  figures: Type.Object(Figures),
});
export const OneContact = Type.Object({
  ...Told,
  ...Named,
  ...Contact.properties,
  object: Type.Literal("numbers.contact"),
  accounts: Type.Optional(Type.Unknown()),
  memberships: Type.Object({ total: Type.Integer(), data: list(Named) }),
  events: Type.Integer({ description: "All that are stored" }),
  figures: Type.Object({ events: Events }, { description: "Of those that are counted in this time" }),
  first_seen_at: Nullable(Time("When the first event that is stored happened")),
  last_seen_at: Nullable(Time("When the last one did")),
});
export const TimeLine = Type.Object({
  object: Type.Literal("numbers.events"),
  time_zone: Type.String(),
  data: list({
    id: Id,
    received_at: Time("When it was received"),
    occurred_at: Nullable(Time("`params.occurred_at`")),
    happened_at: Time("`occurred_at`, where that is from 30 days before the receipt up to it, else the receipt"),
    contact: Type.Object(Named),
    account: Nullable(Type.Object(Named)),
    account_uid: Nullable(Type.String()),
    event_uid: Type.String(),
    params: Type.String({ description: "JSON, as it was sent; its first 4,000 characters" }),
  }),
  next: Nullable(Type.String({ description: "`before` of the next page" })),
});
export const Returning = Type.Object({
  object: Type.Literal("numbers.returning"),
  time_zone: Type.String(),
  of: Type.String(),
  data: list({
    week: Day("Monday of the week in which they were first seen"),
    began: Count("First seen in it"),
    active: Type.Array(Type.Integer(), {
      description: "Of them active 1, 2, … 8 weeks later, as far as these have begun",
    }),
  }),
});
export const Steps = Type.Object({
  object: Type.Literal("numbers.steps"),
  ...Told,
  cut: Type.Boolean({
    description: "Was there a name with more events than the latest 200,000, which were looked at?",
  }),
  data: list({
    event_uid: Type.String(),
    contacts: Count("Those that took this step"),
    accounts: Count("The same"),
    open: Count("Those of whom it was the last step so far, and who may still go on"),
    stopped: Type.Array(
      Type.Object({
        ...Named,
        account: Nullable(Type.Object(Named)),
        times: Type.Array(Type.Integer(), { description: "When each step was taken; epoch milliseconds" }),
        open_until: Nullable(Time("Until when they may go on, where that is not over")),
      }),
      { description: "Contacts of whom it was the last step: the latest 50 that began" },
    ),
  }),
});
export const Questions = Type.Object({
  object: Type.Literal("numbers.questions"),
  time_zone: Type.String(),
  data: list({
    name: Type.String(),
    title: Type.String(),
    note: Type.String(),
    group: Type.String({ description: "Of questions, as the page of all has them" }),
    page: Type.Optional(Type.String({ description: "Path of a page that answers it, too" })),
    none: Type.Optional(Type.String({ description: "What is said of a list without rows" })),
    heads: Type.Record(Type.String(), Type.String(), {
      description: "What parameters and members are called, where that is not their name",
    }),
    hidden: Type.Array(Type.String(), { description: "Parameters and members for programs alone" }),
    sql: Type.String(),
    is_timed: Type.Boolean({ description: "Is it of the time that is asked for?" }),
    parameters: list({
      name: Type.String(),
      description: Type.String(),
      standard: Type.Optional(Type.String({ description: "What stands for it; without it, it must be given" })),
      is_one_of: Type.Optional(Type.Boolean({ description: "Must it be given, unless another such one is?" })),
      choices: Type.Optional(Type.Array(Type.String(), { description: "All that it may be, where that is so few" })),
    }),
  }),
});
export const Answer = Type.Object({
  object: Type.Literal("numbers.answer"),
  ...Told,
  sums: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description: "What an answer says beside its list, where it has one",
    }),
  ),
  data: Type.Array(Type.Record(Type.String(), Type.Unknown()), { description: "The list, or all that is said" }),
});
export const LeftOut = Type.Object({
  object: Type.Literal("numbers.left_out"),
  time_zone: Type.String(),
  data: list({
    kind: Type.Enum(["account", "contact"]),
    ...Named,
    pending: Type.Boolean({ description: "The figures are still on the way there" }),
  }),
});

/** What a path names. */
export const One = Type.Object({ id: Id });

export type Span = keyof typeof SPANS;

const DayOf = Type.Optional(
  Type.String({ pattern: "^\\d{4}-\\d\\d-\\d\\d$", description: "A day, in place of `span`" }),
);
/** Which time. */
export const WhenQuery = {
  span: Type.Enum(Object.keys(SPANS) as [Span, ...Span[]], {
    default: "7d",
    description:
      "The last 24 hours by the hour, or so many days: a week ends with today, 30 and 90 days with yesterday",
  }),
  from: DayOf,
  to: DayOf,
  time_zone: Type.Optional(
    Type.String({ deprecated: true, description: "Ignored: days are those of the workspace's time zone" }),
  ),
};
const Key = (description: string) => Type.Optional(Type.String({ minLength: 1, description }));
/** Which events. */
export const FilterQuery = {
  event_uid: Key("Of this name alone"),
  host: Key("Page views of this host alone"),
  path: Key("Page views of this path alone"),
  referrer: Key("Page views that came from this host alone"),
};
export const NumbersQuery = Type.Object({
  ...WhenQuery,
  ...FilterQuery,
  account: Type.Optional({ ...Id, description: "Of the account with this internal id alone" }),
});
const Page = {
  search: Type.String({
    default: "",
    description: "In the name, the uid or the e-mail address: among all, whatever `show` says",
  }),
  without: Type.String({ default: "", description: "Without those that did this, by name of event" }),
  health: Type.String({ default: "", description: "All of this one, whenever they were active" }),
  show: Type.Enum(["all", "new", "rising", "falling", "silent", "call"], { default: "all" }),
  order: Type.Enum(["asc", "desc"], { default: "desc" }),
  offset: Type.Integer({ minimum: 0, maximum: 1_000_000_000, default: 0 }),
  limit: Type.Integer({ minimum: 1, maximum: 1_000, default: 50 }),
};
export const ContactsQuery = Type.Object({
  ...WhenQuery,
  sort: Type.Enum(["name", "events", "change", "last_seen_on", "health"], { default: "events" }),
  ...Page,
});
export const AccountsQuery = Type.Object({
  ...WhenQuery,
  sort: Type.Enum(["name", "contacts", "active_contacts", "events", "change", "last_seen_on", "health"], {
    default: "events",
  }),
  ...Page,
  others: Type.Enum(["true", "false"], { default: "false", description: "Those that `others` of the answer counts" }),
});
export const StepsQuery = Type.Object({
  ...WhenQuery,
  first: Type.String({ minLength: 1 }),
  second: Type.String({ minLength: 1 }),
  third: Key("Name of the third step"),
  fourth: Key("Of the fourth"),
  fifth: Key("Of the fifth"),
  within: Type.Integer({ minimum: 1, maximum: 366, default: 7, description: "Days from the first step on" }),
});
export const TimeLineQuery = Type.Object({
  ...FilterQuery,
  before: Type.Optional(
    Type.String({ pattern: `^\\d{1,15}_${UUID.source.slice(1)}`, description: "`next` of the page before" }),
  ),
  limit: Type.Integer({ minimum: 1, maximum: 200, default: 200 }),
});
