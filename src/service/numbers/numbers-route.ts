import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { type Static, Type } from "typebox";
import type { Database, Query } from "../database/database.js";
import { timeOf } from "../database/event-id.js";
import type { Settled } from "../database/settled.js";
import { errors, HttpError } from "../http/errors.js";
import { missingLately } from "../records/missing.js";
import { countActive } from "./count-active.js";
import { countKeys, countNames } from "./count-keys.js";
import {
  Active,
  Busiest,
  CountedTo,
  Cut,
  Events,
  Fell,
  FilterQuery,
  Id,
  Nullable,
  Pages,
  People,
  Referrers,
  Time,
  Told,
  toldOf,
  WhenQuery,
} from "./number-schemas.js";
import { busiestAccounts } from "./people/accounts.js";
import { countMatching } from "./people/matching.js";
import { uidOfAccount } from "./people/names.js";
import { type Asked, readWhen } from "./spans.js";
import { countedTo } from "./sums/behind.js";

export const Numbers = Type.Object(
  {
    object: Type.Literal("numbers"),
    ...{ span: Type.Optional(Type.String()), ...Told },
    counted_to: CountedTo,
    last_event_at: Nullable(Time("When the last event was stored")),
    ...{ events: Events, pages: Pages, referrers: Referrers },
    busiest: Type.Optional(Busiest),
    fell: Type.Optional({ ...Fell, description: "Accounts that have lost most events" }),
    ...{ contacts: Active("contacts"), accounts: Active("accounts") },
    people: Type.Optional(People),
    cut: Type.Optional(Cut),
    missing: Type.Object(
      {
        ...{ documents: Type.Integer(), events: Type.Integer(), missing: Type.Integer() },
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

const NumbersQuery = Type.Object({
  ...{ ...WhenQuery, ...FilterQuery },
  account: Type.Optional({ ...Id, description: "Of the account with this internal id alone" }),
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
            "By the time of receipt. Of each kind the 200 most frequent keys of an hour have sums of their own, the rest is counted together. " +
            "To a token for numbers alone nothing is told that has a uid. Of a name, a page, a referrer or an account the events themselves are counted, and `people` says whose they are.",
          security: [{ bearer: [] }],
          querystring: NumbersQuery,
          response: { 200: Numbers, ...errors(400, 401, 404, 405, 429, 500, 503) },
        },
      },
      async ({
        query: { span, time_zone, from, to, account, ...which },
        workspace,
        isOfNumbers,
      }): Promise<Static<typeof Numbers>> => {
        if (isOfNumbers && account !== undefined)
          throw new HttpError(400, "account is not for a token of the kind numbers, which is told of nobody");
        const asked = { workspace, ...readWhen({ span, time_zone, from, to }) };
        const uid = account === undefined ? undefined : await uidOfAccount(query, workspace, account);
        const filter = { ...which, account: uid };
        const isAll = Object.values(filter).every((value) => value === undefined);
        // Before the figures, which may be of later: what is told is in them.
        const counted_to = await countedTo({ query, settled }, workspace);
        const [last_event_at, missing, figures] = await Promise.all([
          lastEvent(query, workspace),
          missingLately(query, workspace),
          isAll ? countAll(query, asked) : countMatching(query, asked, filter),
        ]);
        const told = { ...(from === undefined && to === undefined && { span }), ...toldOf(time_zone, asked) };
        const whose = isOfNumbers && { busiest: undefined, fell: undefined, people: undefined };
        return { object: "numbers", ...told, counted_to, last_event_at, missing, ...figures, ...whose };
      },
    );
  };

/** The figures of all events, from the sums. */
const countAll = async (query: Query, asked: Asked) => {
  const [events, pages, referrers, most, contacts, accounts] = await Promise.all([
    countNames(query, asked),
    countKeys(query, asked, "path"),
    countKeys(query, asked, "referrer"),
    busiestAccounts(query, asked),
    countActive(query, asked, "active_contacts"),
    countActive(query, asked, "active_accounts"),
  ]);
  return { events, pages, referrers, ...most, contacts, accounts };
};

/** When the last event was stored, in epoch milliseconds, from the events themselves. */
const lastEvent = async (query: Query, workspace: string): Promise<number | null> => {
  const newest = "SELECT id FROM events WHERE workspace = $1 ORDER BY id DESC LIMIT 1";
  const [row] = await query<{ id: string }>(newest, [workspace]);
  return row === undefined ? null : timeOf(row.id);
};
