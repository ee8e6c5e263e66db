import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { FastifyReply } from "fastify";
import { type Static, type TSchema, Type } from "typebox";
import { decodeText, filledText } from "../base/exact-text.js";
import { wholeParams } from "../base/params.js";
import type { Database, Query } from "../database/database.js";
import type { Settled } from "../database/event-id.js";
import { dayIn, later, readWhen, startOf, type When } from "../days/calendar.js";
import { countedTo } from "../days/lag.js";
import { errors, HttpError, notFound } from "../http/error-answers.js";
import { readIntegers } from "../http/validation.js";
import { READ } from "../records/account-and-contact.js";
import { answerOf, Given, whenOf } from "./ask-question.js";
import { leftOutOf } from "./left-out-routes.js";
import {
  Accounts,
  AccountsQuery,
  Answer,
  Contacts,
  ContactsQuery,
  FilterQuery,
  LeftOut,
  Numbers,
  NumbersQuery,
  One,
  OneAccount,
  OneContact,
  Questions,
  Returning,
  Steps,
  StepsQuery,
  TimeLine,
  TimeLineQuery,
  WhenQuery,
} from "./number-schemas.js";
import { ask, encoded, eventsOfContact, figuresOf, QUESTIONS } from "./questions.js";

const common = { tags: ["records"], security: [{ bearer: [] }] };
const failures = errors(400, 401, 404, 405, 429, 500, 503);
/** What a route is called, and what it answers. */
const own = <const Answer extends TSchema, const More extends object>(
  [summary, operationId]: readonly [summary: string, operationId: string],
  answer: Answer,
  more: More,
) => ({
  ...common,
  summary: `${summary} (of this service alone)`,
  operationId,
  ...more,
  response: { 200: answer, ...failures },
});

interface State {
  time_zone: string;
  first_on: string | null;
  counted_back_to: string | null;
  changing: boolean;
  events_since: string | null;
  last_event_at: number | null;
}

/** What routes have in common: how questions are asked of a workspace, and what is told of the time. */
const over = ({ query }: Pick<Database, "query">, settled: Settled) => {
  const stateOf = (workspace: string) => ask<State>(query, "state", { workspace });
  return {
    query,
    stateOf,
    /** Reads which time is meant, and says what each answer says of it. */
    readTime: async (workspace: string, when: When & { time_zone?: string | undefined }, reply: FastifyReply) => {
      // Before the figures, which may be of later: what is told is in them.
      const counted_to = await countedTo({ query, settled }, workspace);
      const { last_event_at, ...state } = await stateOf(workspace);
      if (when.time_zone !== undefined)
        reply.header("warning", `299 - "time_zone is ignored: days are those of ${state.time_zone}"`);
      const { ranges, ...time } = readWhen(when, state.time_zone);
      return { ranges, last_event_at, told: { ...state, ...time, counted_to } };
    },
  };
};

/** The name in the data of a record. */
const nameIn = (data: { name?: unknown } | undefined): string | undefined => filledText(data?.name);

/** @throws HttpError 400 where a workspace has no account of this id: a filter by it would show nothing */
const uidOfAccount = async (query: Query, workspace: string, id: string): Promise<string> => {
  const [row] = await query("SELECT unique_id FROM accounts WHERE id = $1 AND workspace = $2", [id, workspace]);
  if (row === undefined) throw new HttpError(400, "account must be the id of an account");
  return decodeText(String(row.unique_id));
};

/** `GET /v2/numbers` and `/v2/numbers/returning`: what a token for numbers alone may ask. Not of the vendor's interface. */
export const numbersRoute =
  (database: Pick<Database, "query">, settled: Settled): FastifyPluginAsyncTypebox =>
  async (app) => {
    const { query, stateOf, readTime } = over(database, settled);
    app.get(
      "/v2/numbers",
      {
        schema: own(["Sums of the events", "getNumbers"], Numbers, {
          description:
            "By the time at which they happened. Of each kind a day keeps the 2,000 most frequent keys, the rest is counted together. " +
            "To a token for numbers alone nothing is told that has a uid. Of a page or a referrer, the latest 20,000 events tell whose they are.",
          querystring: NumbersQuery,
        }),
      },
      async ({ query: { account, ...asked }, workspace, kind }, reply): Promise<Static<typeof Numbers>> => {
        const isOfNumbers = kind === "numbers";
        if (isOfNumbers && account !== undefined)
          throw new HttpError(400, "account is not for a token of the kind numbers, which is told of nobody");
        const { span, from, to, time_zone, ...which } = asked;
        const { ranges, last_event_at, told } = await readTime(workspace, asked, reply);
        const filter = { ...which, ...(account && { account: await uidOfAccount(query, workspace, account) }) };
        const [missing, figures] = await Promise.all([
          ask<Static<typeof Numbers>["missing"]>(query, "losses", { workspace }),
          figuresOf(query, { workspace, ranges, filter }),
        ]);
        const whose = isOfNumbers && {
          busiest: undefined,
          fell: undefined,
          rose: undefined,
          people: undefined,
          without: undefined,
        };
        const shown = from === undefined && to === undefined && { span };
        return { object: "numbers", ...shown, ...told, last_event_at, missing, ...figures, ...whose };
      },
    );
    app.get(
      "/v2/numbers/returning",
      {
        schema: own(["Count how many come back in the weeks after their first", "getReturning"], Returning, {
          querystring: Type.Object({ of: Type.Enum(["account", "contact"], { default: "account" }) }),
        }),
      },
      async ({ query: { of }, workspace }) => {
        const { data } = await ask<Static<typeof Returning>>(query, "returning", { workspace, of });
        return { object: "numbers.returning" as const, time_zone: (await stateOf(workspace)).time_zone, of, data };
      },
    );
  };

type AccountKnown = Pick<Static<typeof OneAccount>, "members" | "first_seen_at" | "last_event_at"> & { days: number[] };
type ContactKnown = Pick<Static<typeof OneContact>, "memberships" | "events" | "first_seen_at" | "last_seen_at">;

const LISTS = [
  { kind: "accounts", ofId: "Accounts", querystring: AccountsQuery, answer: Accounts },
  { kind: "contacts", ofId: "Contacts", querystring: ContactsQuery, answer: Contacts },
] as const;

/** `GET /v2/numbers/…`: who is behind the numbers. */
export const peopleRoutes =
  (database: Pick<Database, "query">, settled: Settled): FastifyPluginAsyncTypebox =>
  async (app) => {
    const { query, stateOf, readTime } = over(database, settled);
    for (const { kind, ofId, querystring, answer } of LISTS)
      app.get(
        `/v2/numbers/${kind}`,
        {
          preValidation: readIntegers("offset", "limit"),
          schema: own([`List the ${kind} of a time`, `list${ofId}ByEvents`], answer, { querystring }),
        },
        async ({ query: { span, from, to, time_zone, ...which }, workspace }, reply) => {
          const { ranges, told } = await readTime(workspace, { span, from, to, time_zone }, reply);
          const { search, without, offset } = which;
          const given = { workspace, ...ranges, ...which, ...encoded({ search, without }) };
          const listed = await ask<object>(query, kind, given);
          return { ...listed, object: `numbers.${kind}`, ...told, offset } as Static<typeof answer>;
        },
      );
    app.get(
      "/v2/numbers/accounts/:id",
      {
        schema: own(["Get an account with its members and what it did", "getAccountWithEvents"], OneAccount, {
          params: One,
          querystring: Type.Object({ ...WhenQuery, ...FilterQuery }),
        }),
      },
      async ({ params: { id }, query: { span, from, to, time_zone, ...filter }, workspace }, reply) => {
        const record = await READ.account(query, workspace, id);
        const { ranges, told } = await readTime(workspace, { span, from, to, time_zone }, reply);
        const account = record.unique_id;
        const [one, figures] = await Promise.all([
          ask<AccountKnown>(query, "account", { workspace, ...encoded({ account }) }),
          figuresOf(query, { workspace, ranges, filter: { ...filter, account } }),
        ]);
        const first = later(dayIn(told.time_zone, Date.now()), 1 - one.days.length);
        const starts = one.days.map((_, at) => startOf(later(first, at), told.time_zone));
        return {
          ...record,
          object: "numbers.account" as const,
          name: nameIn(record.data) ?? account,
          ...told,
          ...one,
          days: { starts, counts: one.days },
          figures,
        };
      },
    );
    app.get(
      "/v2/numbers/contacts/:id",
      {
        schema: own(["Get a contact with its accounts and what it did", "getContactWithEvents"], OneContact, {
          params: One,
          querystring: Type.Object({ ...WhenQuery, event_uid: FilterQuery.event_uid }),
        }),
      },
      async ({ params: { id }, query: { event_uid: key, ...when }, workspace }, reply) => {
        const record = await READ.contact(query, workspace, id);
        const { ranges, told } = await readTime(workspace, when, reply);
        const contact = record.unique_id;
        const [known, events] = await Promise.all([
          ask<ContactKnown>(query, "contact", { workspace, ...encoded({ contact }) }),
          eventsOfContact(query, { workspace, ranges, contact, key }),
        ]);
        return {
          ...record,
          object: "numbers.contact" as const,
          name: nameIn(record.data) ?? contact,
          ...told,
          ...known,
          figures: { events },
        };
      },
    );
    for (const kind of ["account", "contact"] as const)
      app.get(
        `/v2/numbers/${kind}s/:id/events`,
        {
          preValidation: readIntegers("limit"),
          schema: own(
            [
              `List the events of one ${kind}, the newest first`,
              kind === "account" ? "listEventsOfAccount" : "listEventsOfContact",
            ],
            ...([TimeLine, { params: One, querystring: TimeLineQuery }] as const),
          ),
        },
        async ({ params: { id }, query: { before, limit, ...filter }, workspace }) => {
          const { unique_id: uid } = await READ[kind](query, workspace, id);
          const given = { workspace, ...encoded({ ...filter, [kind]: uid }), before, limit };
          const { data, next } = await ask<Static<typeof TimeLine>>(query, "time-line", given);
          return {
            object: "numbers.events" as const,
            time_zone: (await stateOf(workspace)).time_zone,
            next,
            data: data.map((one) => ({ ...one, params: shown(one) })),
          };
        },
      );
    app.get(
      "/v2/numbers/steps",
      {
        preValidation: readIntegers("within"),
        schema: own(["Count how many take two to five steps, one after the other", "getSteps"], Steps, {
          description:
            "Of the latest 200,000 events of each name. Any start in this time counts; of several, the one that leads furthest.",
          querystring: StepsQuery,
        }),
      },
      async ({ query: { span, from, to, time_zone, within, ...names }, workspace }, reply) => {
        const { ranges, told } = await readTime(workspace, { span, from, to, time_zone }, reply);
        const given = { workspace, from: ranges.from, to: ranges.to, within, ...encoded(names) };
        const { cut, data } = await ask<Static<typeof Steps>>(query, "steps", given);
        return { object: "numbers.steps" as const, ...told, cut: cut === true, data };
      },
    );
    app.get(
      "/v2/numbers/questions",
      { schema: own(["List the questions that can be asked", "listQuestions"], Questions, {}) },
      async ({ workspace }) => ({
        object: "numbers.questions" as const,
        time_zone: (await stateOf(workspace)).time_zone,
        data: [...QUESTIONS.values()],
      }),
    );
    app.get(
      "/v2/numbers/questions/:name",
      {
        schema: own(["Ask a question", "askQuestion"], Answer, {
          params: Type.Object({ name: Type.String({ description: "As the list has it" }) }),
          querystring: Type.Object(Given),
        }),
      },
      async ({ params: { name }, query: given, workspace }, reply) => {
        const question = QUESTIONS.get(name);
        if (question === undefined) throw notFound("the question");
        // All of an answer is in memory.
        const { limit } = given as { limit?: string };
        if (Number(limit) > MAX_ROWS) throw new HttpError(400, `limit must be at most ${MAX_ROWS}`);
        const { told } = await readTime(workspace, whenOf(given), reply);
        const { time_zone: _, data, ...sums } = await answerOf(query, question, { ...given, workspace });
        const answer = data === undefined ? { data: [sums] } : { data, sums };
        return { object: "numbers.answer" as const, ...told, ...answer };
      },
    );
    app.get(
      "/v2/numbers/left-out",
      { schema: own(["List one's own accounts and contacts, which count nowhere", "listLeftOut"], LeftOut, {}) },
      async ({ workspace }) => leftOutOf(query, workspace),
    );
  };

const MAX_ROWS = 9_999;

/** Characters of the params that are told: an event may be large. */
const MAX_PARAMS = 4_000;
const shown = (event: { params: string }): string =>
  event.params.endsWith("}") ? wholeParams(event).slice(0, MAX_PARAMS) : event.params;
