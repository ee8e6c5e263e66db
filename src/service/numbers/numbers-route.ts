import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { type Static, Type } from "typebox";
import type { Database } from "../database/database.js";
import { timeOf } from "../database/event-id.js";
import type { Settled } from "../database/settled.js";
import { errors, HttpError } from "../http/errors.js";
import { countActive, countKeys, countMissing, countNames, lastEvent } from "./questions.js";
import { isTimeZone, SPANS, type Span, stepsOf } from "./spans.js";
import { followedTo } from "./sums.js";

const Count = (description: string) => Type.Integer({ description });
const Counts = Type.Array(Type.Integer(), { description: "By step" });
const Times = (description: string) => Type.Integer({ description: `${description}; epoch milliseconds` });
const Keyed = <Name extends string>(name: Name, description: string) =>
  Type.Object(
    {
      total: Count("In all, the rest included"),
      data: Type.Array(Type.Object({ key: Type.String({ description: name }), events: Type.Integer() })),
    },
    { description },
  );
const Active = (what: string) =>
  Type.Object({
    total: Count(`Different ${what}`),
    counts: Counts,
    approximate: Type.Boolean({ description: "Estimated by a sixteenth of them, as there are more than some 32,000" }),
  });

const Numbers = Type.Object(
  {
    object: Type.Literal("numbers"),
    span: Type.String(),
    time_zone: Type.String(),
    starts: Type.Array(Type.Integer(), { description: "The start of each step; epoch milliseconds" }),
    ends: Times("The end of the last step"),
    counted_to: Times("Up to when events are counted: about a minute ago"),
    last_event_at: Type.Union([Times("When the last event was stored"), Type.Null()]),
    events: Type.Object({
      total: Count("Events"),
      data: Type.Array(Type.Object({ event_uid: Type.String(), events: Type.Integer(), counts: Counts })),
      others: Type.Object({ events: Type.Integer(), counts: Counts }, { description: "Of other names" }),
    }),
    pages: Keyed("path", "Page views by the path of `params.visit_url`"),
    referrers: Keyed("host", "Page views by the host of `params.referrer`, where it is another one"),
    contacts: Active("contacts"),
    accounts: Active("accounts"),
    busiest: Keyed("account_uid", "Events by account"),
    missing: Type.Object(
      { documents: Type.Integer(), events: Type.Integer(), missing: Type.Integer() },
      { description: "Gaps in the numbers of stamped events, among the latest 20,000 events" },
    ),
  },
  { description: "Sums of events" },
);

const NumbersQuery = Type.Object({
  span: Type.Enum(Object.keys(SPANS) as [Span, ...Span[]], {
    default: "7d",
    description: "The last 24 hours by the hour, or so many days by the day, today included",
  }),
  time_zone: Type.String({ default: "UTC", description: "In which days begin, such as `Europe/Berlin`" }),
});

/** `GET /v2/numbers`: sums of the stored events. Not of the vendor's interface. */
export const numbersRoute =
  ({ query }: Database, settled: Settled): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.get(
      "/v2/numbers",
      {
        schema: {
          operationId: "getNumbers",
          tags: ["records"],
          summary: "Sums of the events (of this service alone)",
          description:
            "By the time of receipt. Of each kind the 200 most frequent keys of an hour have sums of their own, the rest is counted together.",
          security: [{ bearer: [] }],
          querystring: NumbersQuery,
          response: { 200: Numbers, ...errors(400, 401, 404, 405, 429, 500, 503) },
        },
      },
      async ({ query: asked, workspace }): Promise<Static<typeof Numbers>> => {
        const { span, time_zone: zone } = asked as { span: Span; time_zone: string };
        if (!isTimeZone(zone))
          throw new HttpError(400, "time_zone must be the name of a time zone, such as Europe/Berlin");
        const steps = stepsOf(span, zone, Date.now());
        const of = { workspace, steps };
        const [counted_to, last_event_at, events, pages, referrers, busiest, contacts, accounts, missing] =
          await Promise.all([
            countedTo({ query, settled }, workspace),
            lastEvent(query, workspace),
            countNames(query, of),
            countKeys(query, of, "path"),
            countKeys(query, of, "referrer"),
            countKeys(query, of, "account"),
            countActive(query, of, "active_contacts"),
            countActive(query, of, "active_accounts"),
            countMissing(query, workspace),
          ]);
        const [starts, ends] = [steps.slice(0, -1), steps.at(-1)!];
        const told = { span, time_zone: zone, starts, ends, counted_to, last_event_at };
        return { object: "numbers", ...told, events, pages, referrers, contacts, accounts, busiest, missing };
      },
    );
  };

/** Up to when all events are in the sums. */
const countedTo = async (
  { query, settled }: { query: Database["query"]; settled: Settled },
  workspace: string,
): Promise<number> => {
  const end = await settled();
  const waiting = "SELECT id FROM events WHERE workspace = $1 AND id >= $2 ORDER BY id LIMIT 1";
  const [first] = await query<{ id: string }>(waiting, [workspace, await followedTo(query, workspace)]);
  return first === undefined ? end : Math.min(end, timeOf(first.id));
};
