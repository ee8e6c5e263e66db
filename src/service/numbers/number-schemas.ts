import { type TSchema, Type } from "typebox";
import { UUID } from "../base/exact-text.js";
import { SPANS, type Span, type Steps } from "./spans.js";

export const Count = (description: string) => Type.Integer({ description });
export const Counts = Type.Array(Type.Integer(), { description: "By step" });
export const Time = (description: string) => Type.Integer({ description: `${description}; epoch milliseconds` });
export const Nullable = <T extends TSchema>(type: T) => Type.Union([type, Type.Null()]);
export const list = <T extends Parameters<typeof Type.Object>[0]>(members: T) => Type.Array(Type.Object(members));

const Change = { events: Count("In this time"), before: Count("In the time before") };
const Sums = { total: Count("In all, the rest included"), before: Count("The same in the time before") };
export const Id = Type.String({ pattern: UUID.source, description: "Internal id" });
export const Named = {
  id: Id,
  unique_id: Type.String(),
  name: Type.String({ description: "`name` of its data, or its uid" }),
};
const keyed = <T extends Record<string, TSchema> = Record<never, TSchema>>(key: string, more = {} as T) =>
  Type.Array(Type.Object({ key: Type.String({ description: key }), ...Change, ...more }));
const Whose = { id: Id, name: Type.String() };

export const Events = Type.Object({
  ...Sums,
  data: list({ event_uid: Type.String(), events: Type.Integer(), counts: Counts }),
  others: Type.Object({ events: Type.Integer(), counts: Counts }, { description: "Of other names" }),
  names: Type.Array(Type.Object({ key: Type.String({ description: "event_uid" }), ...Change }), {
    description: "Each name, the most frequent first, at most 1,000",
  }),
});
export const Pages = Type.Object(
  { ...Sums, data: keyed("path") },
  { description: "Page views by the path of `params.visit_url`" },
);
export const Referrers = Type.Object(
  { ...Sums, data: keyed("host") },
  { description: "Page views by the host of `params.referrer`, where it is another one" },
);
export const Active = (what: string) =>
  Type.Object({
    ...{ total: Count(`Different ${what}`), before: Count("The same in the time before"), counts: Counts },
    approximate: Type.Boolean({ description: "Estimated by a sixteenth of them, as there are more than some 32,000" }),
  });
export const Busiest = Type.Object(
  { ...Sums, data: keyed("account_uid", Whose) },
  { description: "Events by account" },
);
export const Fell = keyed("account_uid", Whose);
export const People = Type.Object({ ...Sums, data: keyed("contact_uid", Whose) }, { description: "Events by contact" });
export const Cut = Type.Boolean({
  description: "There are more events: the latest 200,000 of both times were looked at",
});

/** What each answer says of the time that it tells of. */
export const Told = {
  time_zone: Type.String(),
  starts: Type.Array(Type.Integer(), { description: "The start of each step; epoch milliseconds" }),
  ends: Time("The end of the last step"),
  before: Type.Object(
    { from: Time("Its start"), to: Time("Its end") },
    { description: "The time before: as many days, and of a time that is not over as much of the last one" },
  ),
};
/** The same of an answer. */
export const toldOf = (zone: string, { steps, before }: Steps) => ({
  ...{ time_zone: zone, starts: steps.slice(0, -1), ends: steps.at(-1)! },
  before: { from: before[0]!, to: before.at(-1)! },
});

/** Of an answer from the sums, which are behind the events. */
export const CountedTo = Time("Up to when events are counted: about a minute ago");

const Day = Type.Optional(Type.String({ pattern: "^\\d{4}-\\d\\d-\\d\\d$", description: "A day, in place of `span`" }));
/** Which time. */
export const WhenQuery = {
  span: Type.Enum(Object.keys(SPANS) as [Span, ...Span[]], {
    default: "7d",
    description: "The last 24 hours by the hour, or so many days by the day, today included",
  }),
  from: Day,
  to: Day,
  time_zone: Type.String({ default: "UTC", description: "In which days begin, such as `Europe/Berlin`" }),
};
const Key = (description: string) => Type.Optional(Type.String({ minLength: 1, description }));
/** Which events. */
export const FilterQuery = {
  event_uid: Key("Of this name alone"),
  host: Key("Page views of this host alone"),
  path: Key("Page views of this path alone"),
  referrer: Key("Page views that came from this host alone"),
};
