import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { FastifyInstance, FastifyReply } from "fastify";
import { Type } from "typebox";
import { requireApiToken } from "../access/auth.js";
import { createHeld } from "../access/held.js";
import { errors, HttpError } from "../http/errors.js";
import { EXPOSED } from "../http/headers.js";
import { NDJSON, type Row, readEventBodies, readRows } from "./body.js";
import { createRecord, type EventOptions, isObeyed } from "./record.js";
import {
  BATCH_PATH,
  type Count,
  EVENT_PATH,
  EventInput,
  MAX_BATCH_BYTES,
  MAX_BATCH_EVENTS,
  OFFER,
  Success,
  type Verdict,
  Verdicts,
} from "./schemas.js";
import type { EventStore } from "./store/store.js";

const OFFERED = { "tracklet-batch": OFFER, [EXPOSED]: "Tracklet-Batch" };
/** Says with an answer that several events may come in one request. */
const offer = (reply: FastifyReply): void => void reply.headers(OFFERED);
/** As text, for nearly every answer is this one. */
const STORED = JSON.stringify({ status: "success" });

/** What both routes are made of. */
interface Shared extends EventOptions {
  record: ReturnType<typeof createRecord>;
  hold: ReturnType<typeof createHeld>;
}

/** `POST /v1/track/event` and `/v1/track/events`: record one event, and several; answered once they are committed. */
export const eventRoutes =
  (store: EventStore, options: EventOptions): FastifyPluginAsyncTypebox =>
  async (app) => {
    const hold = createHeld(Math.max(options.maxEventBytes, MAX_BATCH_BYTES));
    const shared: Shared = { ...options, hold, record: createRecord(store, options) };
    if (options.gpc === "obey") obeyGpc(app, options.count);
    await app.register(single(shared));
    await app.register(several(shared));
  };

/** Takes events of a browser that asks not to be tracked for stored. */
const obeyGpc = (app: FastifyInstance, count: Count): void => {
  app.addHook("preHandler", async (request, reply) => {
    if (!isObeyed(request)) return;
    const { body } = request;
    const rows = Array.isArray(body) ? body : undefined;
    count("events_obeyed_total", {}, rows?.length ?? 1);
    offer(reply);
    return reply.send(rows?.map((_, index) => ({ index, status: "stored" })) ?? { status: "success" });
  });
};

/** One event: what it is refused for is said by the status. */
const single =
  ({ access, hold, maxEventBytes, record }: Shared): FastifyPluginAsyncTypebox =>
  async (app) => {
    readEventBodies(app, { maxBytes: maxEventBytes, hold, parse: parseOne });
    app.post(
      EVENT_PATH,
      {
        preParsing: requireApiToken(access, "api", "server"),
        schema: {
          operationId: "sendEvent",
          tags: ["events"],
          summary: "Record an event of a contact",
          description:
            "The answer 200 means that the event is committed. A contact or an account that is not known yet gets a bare record. " +
            "Of several events of a contact with the same stamp, `params.event_id`, one is stored; each is answered with 200. " +
            "With the token of pages in the URL only a UUID beside `event_source` and `event_seq` is a stamp. " +
            "Other members are left out and listed as `ignored`.",
          security: [{ apiToken: [] }, { basic: [] }],
          consumes: ["application/json", "text/plain"],
          body: EventInput,
          response: { 200: Type.Unsafe<string>(Success), ...errors(400, 401, 405, 408, 413, 415, 422, 429, 500, 503) },
        },
      },
      async (request, reply) => {
        const [only] = await record(request, [{ body: request.body, text: request.bodyText }]);
        if (only!.error !== undefined) throw only!.error;
        offer(reply);
        reply.type("application/json; charset=utf-8");
        const { ignored } = only!.verdict;
        return ignored === undefined ? STORED : JSON.stringify({ status: "success", ignored });
      },
    );
  };

const parseOne = (text: string): unknown => {
  const body = JSON.parse(text);
  if (Array.isArray(body))
    throw new HttpError(400, `the body must be an object: ${BATCH_PATH} takes several events in an array`);
  return body;
};

/** Several events, each with a verdict of its own. Only this service has it. */
const several =
  ({ access, hold, record, tellRefused }: Shared): FastifyPluginAsyncTypebox =>
  async (app) => {
    readEventBodies(app, { maxBytes: MAX_BATCH_BYTES, hold, parse: readRows, types: NDJSON, unpacks: true });
    app.post(
      BATCH_PATH,
      {
        preParsing: requireApiToken(access, "api", "server", "admin"),
        schema: {
          operationId: "sendEvents",
          tags: ["events"],
          summary: "Record several events (of this service alone)",
          description:
            `At most ${MAX_BATCH_EVENTS} events and ${MAX_BATCH_BYTES} bytes, also where they come compressed by gzip: an array of what ` +
            "`/v1/track/event` takes, or one event a line as `application/x-ndjson`. 200 means that all are stored, 207 that some are not. Each has a verdict: `stored`; `repeated`, it was " +
            "stored before; `refused`, it is wrong, and `why` says how; `again`, it could not be stored now. With the admin token, " +
            "`received_at` of an event (epoch milliseconds) is when it was received.",
          security: [{ apiToken: [] }, { basic: [] }],
          consumes: ["application/json", "text/plain", ...NDJSON],
          // Looked at one by one, so that one that is wrong fails no other.
          body: Type.Array(Type.Unsafe<Row>({ description: "An event, as `/v1/track/event` takes it" })),
          response: { 200: Verdicts, 207: Verdicts, ...errors(400, 401, 405, 408, 413, 415, 429, 500, 503) },
        },
      },
      async (request, reply) => {
        const all = await record(request, request.body);
        for (const { row, error, verdict } of all)
          if (verdict.status === "refused" && error instanceof HttpError)
            tellRefused(
              request,
              { status: error.statusCode, text: error.message, reason: error.reason },
              Buffer.byteLength(row.text),
            );
        offer(reply);
        const verdicts: Verdict[] = all.map(({ verdict }) => verdict);
        // Who looks at the status alone sees that something is not stored (RFC 4918 §11.1).
        if (verdicts.some(({ status }) => status === "refused" || status === "again")) reply.code(207);
        return verdicts;
      },
    );
  };
