import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { Type } from "typebox";
import { filledText, parseObject, recordId, UUID } from "../base/exact-text.js";
import type { Database, Query } from "../database/database.js";
import { idAt, type Settled } from "../database/event-id.js";
import { errors, HttpError } from "../http/error-answers.js";
import { nextPage, ownUrl } from "../http/own-host.js";
import { readIntegers, readTimes } from "../http/validation.js";
import { lostPlace } from "./lost-places.js";
import { type Exported, exportPage, jsonLine } from "./read-rows.js";

/** Events on a page of `/v2/events` when `limit` is absent, and the most of them. */
const [DEFAULT_EVENTS, MAX_EVENTS] = [100, 10_000];
const Time = (meaning: string) =>
  Type.Optional(
    Type.Integer({ minimum: 0, description: `${meaning}; epoch milliseconds, or a day or a time (ISO 8601)` }),
  );
const NotEmpty = Type.Optional(Type.String({ minLength: 1 }));

const EventQuery = Type.Object({
  contact_uid: NotEmpty,
  account_uid: NotEmpty,
  event_uid: NotEmpty,
  since: Time("Received from then on"),
  until: Time("Received before"),
  after: Type.Optional(
    Type.String({
      pattern: UUID.source,
      description: "Behind the event with this id, as far as events are settled: nothing is missed, nothing repeated",
    }),
  ),
  order: Type.Enum(["asc", "desc"], {
    default: "asc",
    description: "The oldest first, or without `after` the latest: `desc`",
  }),
  limit: Type.Integer({ minimum: 1, maximum: MAX_EVENTS, default: DEFAULT_EVENTS, description: "Results a page" }),
  names: Type.Enum(["true", "false"], { default: "false", description: "`true`: with `contact` and `account`" }),
});

const Nullable = <T extends ReturnType<typeof Type.String | typeof Type.Integer>>(type: T) =>
  Type.Union([type, Type.Null()]);

const Named = Type.Object({
  id: Type.String({ description: "Internal id" }),
  name: Type.String({ description: "`name` of its data, or its uid" }),
});
const EventList = Type.Object(
  {
    object: Type.Literal("event.list"),
    data: Type.Array(
      Type.Object({
        object: Type.Literal("event"),
        id: Type.String({ description: "Sorts by the time of storing" }),
        received_at: Type.Integer({ description: "Unix epoch, milliseconds" }),
        occurred_at: Nullable(
          Type.Integer({ description: "`params.occurred_at`, from 30 days before its receipt to a day after it" }),
        ),
        contact_uid: Type.String(),
        account_uid: Nullable(Type.String()),
        event_uid: Type.String(),
        params: Type.Object({}, { additionalProperties: true }),
        proven: Type.Optional(
          Type.Boolean({ description: "Whether its proof of identity held, where one was looked at" }),
        ),
        stamped: Type.Optional(Type.Literal(false, { description: "Its `event_id` is a page's own, and no stamp" })),
        contact: Type.Optional(Named),
        account: Type.Optional(Type.Union([Named, Type.Null()])),
        settled: Type.Boolean({ description: "Whether all events before it are known, so that `after` may name it" }),
      }),
    ),
    pagination: Type.Object({
      limit: Type.Integer({
        description: "Events that this page could hold: fewer than were asked for where they are large (4 MB a page)",
      }),
      count: Type.Integer(),
      next: Type.String({ description: "URL of what comes behind the settled events of this page, now or later" }),
    }),
  },
  { description: "One page of events" },
);

/** Gives events the id and the name of their contact, and of their account. */
const withNames = async (query: Query, workspace: string, rows: readonly Exported[]): Promise<Exported[]> => {
  const members = await Promise.all(
    (["contact", "account"] as const).map(async (kind) => {
      const idOf = (uid: unknown) => recordId(kind, String(uid), workspace);
      const uids = new Set(rows.map((row) => row[`${kind}_uid`]).filter((uid) => uid !== null));
      const found = await query(`SELECT id, data FROM ${kind}s WHERE id = ANY($1::uuid[])`, [[...uids].map(idOf)]);
      const names = new Map(found.map(({ id, data }) => [id, filledText(parseObject(data)?.name)]));
      return ({ [`${kind}_uid`]: uid }: Exported): Exported => ({
        [kind]: uid === null ? null : { json: JSON.stringify({ id: idOf(uid), name: names.get(idOf(uid)) ?? uid }) },
      });
    }),
  );
  return rows.map((row) => Object.assign({}, row, ...members.map((of) => of(row))));
};

/**
 * `GET /v2/events`: the stored events, page by page. Not of the vendor's interface.
 *
 * @param publicUrl address of the service for `next`, where it is not the one that the client asked
 */
export const eventListRoute =
  ({ query }: Database, settled: Settled, publicUrl?: string): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.get(
      "/v2/events",
      {
        preValidation: [readIntegers("limit", "since", "until"), readTimes("since", "until")],
        schema: {
          operationId: "listEvents",
          tags: ["records"],
          summary: "List events (of this service alone)",
          description:
            "Of one contact, one account, one name, or one time of receipt. Without `after` all that is " +
            "committed is shown; with it, what is settled, about a minute later.",
          security: [{ bearer: [] }],
          querystring: EventQuery,
          response: { 200: Type.Unsafe<string>(EventList), ...errors(400, 401, 404, 405, 410, 429, 500, 503) },
        },
      },
      async (request, reply) => {
        const {
          contact_uid: contact,
          account_uid: account,
          event_uid: eventUid,
          since,
          until,
          after,
          order,
          limit,
          names,
        } = request.query;
        const { workspace } = request;
        if (after !== undefined && order === "desc") throw new HttpError(400, "order must be asc with after");
        const lost = after === undefined ? undefined : await lostPlace(query, workspace, after);
        if (lost !== undefined) throw new HttpError(410, lost);
        const end = idAt(await settled());
        const options = { table: "events" as const, workspace, contact, account, eventUid, since, until };
        const { rows, isFull } = await exportPage(query, options, { after, before: after && end, order, limit });
        const last = order === "desc" ? end : (rows.findLast(({ id }) => String(id) < end)?.id ?? after ?? idAt(0));
        const page = nextPage(request, EventQuery, { after: last, limit, ...(order === "desc" && { order: "asc" }) });
        const next = `${ownUrl(request, publicUrl)}/v2/events?${page}`;
        // Text, not an object: the params are passed on as they were sent.
        reply.type("application/json; charset=utf-8");
        const told = names === "true" ? await withNames(query, workspace, rows) : rows;
        const data = told.map((row) => jsonLine({ object: "event", ...row, settled: String(row.id) < end }));
        const pagination = JSON.stringify({ limit: isFull ? rows.length : limit, count: rows.length, next });
        return `{"object":"event.list","data":[${data.join(",")}],"pagination":${pagination}}`;
      },
    );
  };
