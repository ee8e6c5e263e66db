import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { Type } from "typebox";
import type { Database } from "../../database/database.js";
import type { Settled } from "../../database/settled.js";
import { errors } from "../../http/errors.js";
import { readIntegers } from "../../http/validation.js";
import { READ } from "../../records/records.js";
import { FilterQuery, toldOf, WhenQuery } from "../number-schemas.js";
import { readWhen, stepsOf } from "../spans.js";
import { countedTo } from "../sums/behind.js";
import { listAccounts, SHOWN, SORTS } from "./accounts.js";
import { listLeftOut } from "./left-out.js";
import type { Kind } from "./names.js";
import { readAccount, readContact } from "./one.js";
import { Accounts, LeftOut, One, OneAccount, OneContact, Returning, TimeLine } from "./people-schemas.js";
import { countReturning } from "./returning.js";
import { PLACE, readTimeLine } from "./time-line.js";

const common = { tags: ["records"], security: [{ bearer: [] }] };
const failures = errors(400, 401, 404, 405, 429, 500, 503);
const own = (summary: string) => ({ ...common, summary: `${summary} (of this service alone)` });

/** `GET /v2/numbers/…`: who is behind the numbers. Not of the vendor's interface. */
export const peopleRoutes =
  ({ query }: Database, settled: Settled): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.get(
      "/v2/numbers/accounts",
      {
        preValidation: readIntegers("offset", "limit"),
        schema: {
          ...{ ...own("List the accounts of a time"), operationId: "listAccountsByEvents" },
          querystring: Type.Object({
            ...WhenQuery,
            search: Type.String({ default: "", description: "In the name or the uid" }),
            show: Type.Enum([...SHOWN], { default: "all" }),
            sort: Type.Enum([...SORTS], { default: "events" }),
            order: Type.Enum(["asc", "desc"], { default: "desc" }),
            offset: Type.Integer({ minimum: 0, default: 0 }),
            limit: Type.Integer({ minimum: 1, maximum: 1_000, default: 50 }),
            others: Type.Enum(["true", "false"], {
              default: "false",
              description: "Those that `others` of the answer counts",
            }),
          }),
          response: { 200: Accounts, ...failures },
        },
      },
      async ({ query: { span, time_zone, from, to, others, ...which }, workspace }) => {
        const when = readWhen({ span, time_zone, from, to });
        // Before the figures, which may be of later: what is told is in them.
        const counted_to = await countedTo({ query, settled }, workspace);
        const listed = await listAccounts(
          query,
          { workspace, zone: time_zone, ...when },
          { ...which, others: others === "true" },
        );
        return { object: "numbers.accounts" as const, ...toldOf(time_zone, when), counted_to, ...listed };
      },
    );
    app.get(
      "/v2/numbers/accounts/:id",
      {
        schema: {
          ...{ ...own("Get an account with its members and what it did"), operationId: "getAccountWithEvents" },
          params: One,
          querystring: Type.Object({ ...WhenQuery, ...FilterQuery }),
          response: { 200: OneAccount, ...failures },
        },
      },
      async ({ params: { id }, query: { span, time_zone, from, to, ...filter }, workspace }) => {
        const when = readWhen({ span, time_zone, from, to });
        const steps = stepsOf("90d", time_zone, Date.now());
        const { days, ...one } = await readAccount(query, { workspace, ...when }, { id, filter, days: steps });
        const calendar = { starts: steps.slice(0, -1), counts: days };
        return { object: "numbers.account" as const, ...toldOf(time_zone, when), ...one, days: calendar };
      },
    );
    app.get(
      "/v2/numbers/contacts/:id",
      {
        schema: {
          ...{ ...own("Get a contact with its accounts"), operationId: "getContactWithEvents" },
          params: One,
          response: { 200: OneContact, ...failures },
        },
      },
      async ({ params: { id }, workspace }) => ({
        object: "numbers.contact" as const,
        ...(await readContact(query, workspace, id)),
      }),
    );
    for (const kind of ["account", "contact"] satisfies Kind[])
      app.get(
        `/v2/numbers/${kind}s/:id/events`,
        {
          preValidation: readIntegers("limit"),
          schema: {
            ...own(`List the events of one ${kind}, the newest first`),
            operationId: kind === "account" ? "listEventsOfAccount" : "listEventsOfContact",
            params: One,
            querystring: Type.Object({
              ...FilterQuery,
              before: Type.Optional(Type.String({ pattern: PLACE.source, description: "`next` of the page before" })),
              limit: Type.Integer({ minimum: 1, maximum: 200, default: 200 }),
            }),
            response: { 200: TimeLine, ...failures },
          },
        },
        async ({ params: { id }, query: { before: behind, limit, ...which }, workspace }) => {
          const { unique_id: uid } = await READ[kind](query, workspace, id);
          const filter = { ...which, [kind]: uid };
          return {
            object: "numbers.events" as const,
            ...(await readTimeLine(query, { workspace, filter, behind, limit })),
          };
        },
      );
    app.get(
      "/v2/numbers/left-out",
      {
        schema: {
          ...{ ...own("List one's own accounts and contacts, which count nowhere"), operationId: "listLeftOut" },
          response: { 200: LeftOut, ...failures },
        },
      },
      async ({ workspace }) => ({
        object: "numbers.left_out" as const,
        data: await listLeftOut(query, workspace),
      }),
    );
  };

/** `GET /v2/numbers/returning`: how many come back. */
export const returningRoute =
  ({ query }: Pick<Database, "query">): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.get(
      "/v2/numbers/returning",
      {
        schema: {
          ...own("Count how many come back in the weeks after their first"),
          operationId: "getReturning",
          querystring: Type.Object({ of: Type.Enum(["account", "contact"], { default: "account" }) }),
          response: { 200: Returning, ...failures },
        },
      },
      async ({ query: { of }, workspace }) => ({
        object: "numbers.returning" as const,
        ...{ of, data: await countReturning(query, workspace, { of, now: Date.now() }) },
      }),
    );
  };
