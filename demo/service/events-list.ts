import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { Type } from "typebox";
import type { Database } from "./database.js";
import { errors } from "./error-schemas.js";
import { idAt } from "./event-id.js";
import { EventList, EventQuery } from "./event-schemas.js";
import { exportPage, jsonLine } from "./export.js";
import { nextPage, ownUrl } from "./own-url.js";
import type { Settled } from "./settled.js";
import { readIntegers, readTimes } from "./validation.js";

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
            "The oldest first. Of one contact, one account, one name, or one time of receipt. Without `after` all that is " +
            "committed is shown; with it, what is settled, about a minute later.",
          security: [{ bearer: [] }],
          querystring: EventQuery,
          response: { 200: Type.Unsafe<string>(EventList), ...errors(400, 401, 404, 405, 429, 500, 503) },
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
          limit,
        } = request.query;
        const { workspace } = request;
        const end = idAt(await settled());
        const options = { table: "events" as const, workspace, contact, account, eventUid, since, until };
        const rows = await exportPage(query, options, { after, before: after && end, limit });
        const last = rows.findLast(({ id }) => String(id) < end)?.id ?? after ?? idAt(0);
        const next = `${ownUrl(request, publicUrl)}/v2/events?${nextPage(request, EventQuery, { after: last, limit })}`;
        // Text, not an object: the params are passed on as they were sent.
        reply.type("application/json; charset=utf-8");
        const data = rows.map((row) => jsonLine({ object: "event", ...row, settled: String(row.id) < end }));
        const pagination = JSON.stringify({ limit, count: rows.length, next });
        return `{"object":"event.list","data":[${data.join(",")}],"pagination":${pagination}}`;
      },
    );
  };
