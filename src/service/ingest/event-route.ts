import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { FastifyReply, FastifyRequest, RouteOptions } from "fastify";
import { Type } from "typebox";
import { EVENT_PATH } from "../../shared/option-values.js";
import { createHeld } from "../access/limits.js";
import { type Kind, requireApiToken } from "../access/tokens.js";
import { remembering } from "../base/exact-text.js";
import { errors, HttpError } from "../http/error-answers.js";
import { commonHeaders, EXPOSED } from "../http/headers.js";
import { createIntake, type EventOptions, type Handled } from "./judge-event.js";
import { JSON_TYPES, NDJSON, type Reading, readOne, readSent, readSeveral } from "./read-body.js";
import {
  BATCH_PATH,
  EventInput,
  MAX_BATCH_BYTES,
  MAX_BATCH_EVENTS,
  OFFER,
  Success,
  type Verdict,
  Verdicts,
} from "./schemas.js";
import type { EventStore } from "./store/event-store.js";

const OFFERED = { "tracklet-batch": OFFER, [EXPOSED]: "Tracklet-Batch" };
/** Says with an answer that several events may come in one request. */
const offer = (reply: FastifyReply): void => void reply.headers(OFFERED);

const STORED = JSON.stringify({ status: "success" });
const OF_STORED = {
  ...OFFERED,
  "content-type": "application/json; charset=utf-8",
  "content-length": String(STORED.length),
};
const MAX_HEADS = 1_000;
/** Answers that an event is stored, as nearly every answer is: its head is made once for each origin. */
const headOf = remembering((origin) => Object.entries({ ...commonHeaders(origin), ...OF_STORED }).flat(), MAX_HEADS);
const headOfNone = Object.entries({ ...commonHeaders(undefined), ...OF_STORED }).flat();
const tellStored = (reply: FastifyReply, origin: string | undefined): void => {
  reply.hijack();
  reply.raw.writeHead(200, origin === undefined ? headOfNone : headOf(origin)).end(STORED);
};

interface Way extends Pick<RouteOptions, "url" | "schema"> {
  kinds: readonly Kind[];
  reading: Reading;
  answer(request: FastifyRequest, reply: FastifyReply, all: readonly Handled[]): unknown;
}

/** They are judged one by one, so that one that is wrong fails no other: the schemas are for who reads them. */
const common = { tags: ["events"], security: [{ apiToken: [] }, { basic: [] }] } as const;

/** One event: what it is refused for is said by the status. */
const single = ({ maxEventBytes }: EventOptions): Way => ({
  url: EVENT_PATH,
  kinds: ["api", "server"],
  reading: { maxBytes: maxEventBytes, read: readOne, types: JSON_TYPES },
  schema: {
    ...common,
    operationId: "sendEvent",
    summary: "Record an event of a contact",
    description:
      "The answer 200 means that the event is committed. A contact or an account that is not known yet gets a bare record. " +
      "Of several events of a contact with the same stamp, `params.event_id`, one is stored; each is answered with 200. " +
      "With the token of pages in the URL only a UUID beside `event_source` and `event_seq` is a stamp. " +
      "Other members are left out and listed as `ignored`.",
    consumes: JSON_TYPES,
    body: EventInput,
    response: { 200: Type.Unsafe<string>(Success), ...errors(400, 401, 405, 408, 413, 415, 422, 429, 500, 503) },
  },
  answer: (request, reply, [only]) => {
    if (only!.error !== undefined) throw only!.error;
    const { ignored } = only!.verdict;
    if (ignored === undefined) return tellStored(reply, request.headers.origin);
    offer(reply);
    reply.type("application/json; charset=utf-8").send(JSON.stringify({ status: "success", ignored }));
  },
});

/** Several events, each with a verdict of its own. Only this service has it. */
const several = ({ tellRefused }: EventOptions): Way => ({
  url: BATCH_PATH,
  kinds: ["api", "server", "admin"],
  reading: { maxBytes: MAX_BATCH_BYTES, read: readSeveral, types: [...JSON_TYPES, ...NDJSON], unpacks: true },
  schema: {
    ...common,
    operationId: "sendEvents",
    summary: "Record several events (of this service alone)",
    description:
      `At most ${MAX_BATCH_EVENTS} events and ${MAX_BATCH_BYTES} bytes, also where they come compressed by gzip: an array of what ` +
      "`/v1/track/event` takes, or one event a line as `application/x-ndjson`. 200 means that all are stored, 207 that some are not. Each has a verdict: `stored`; `repeated`, it was " +
      "stored before; `refused`, it is wrong, and `why` says how; `again`, it could not be stored now. With the admin token, " +
      "`received_at` of an event (epoch milliseconds) is when it was received.",
    consumes: [...JSON_TYPES, ...NDJSON],
    body: Type.Array(Type.Unsafe({ description: "An event, as `/v1/track/event` takes it" })),
    response: { 200: Verdicts, 207: Verdicts, ...errors(400, 401, 405, 408, 413, 415, 429, 500, 503) },
  },
  answer: (request, reply, all) => {
    for (const { sent, error, verdict } of all)
      if (verdict.status === "refused" && error instanceof HttpError)
        tellRefused(
          request,
          { status: error.statusCode, text: error.message, reason: error.reason },
          Buffer.byteLength(sent.text),
        );
    offer(reply);
    const verdicts: Verdict[] = all.map(({ verdict }) => verdict);
    // Who looks at the status alone sees that something is not stored (RFC 4918 §11.1).
    if (verdicts.some(({ status }) => status === "refused" || status === "again")) reply.code(207);
    reply.send(verdicts);
  },
});

/**
 * `POST /v1/track/event` and `/v1/track/events`: record one event, and several; answered once they are committed.
 *
 * The whole way is one hook, before Fastify would read a body: nothing of what follows there is needed.
 */
export const eventRoutes =
  (store: EventStore, options: EventOptions): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.decorateRequest("bodyBytes", 0);
    const hold = createHeld(Math.max(options.maxEventBytes, MAX_BATCH_BYTES));
    const takeIn = createIntake(store, options);
    for (const { url, schema, kinds, reading, answer } of [single(options), several(options)])
      app.route({
        url,
        schema,
        method: "POST",
        onRequest: async (request, reply) => {
          requireApiToken(request, options.access, kinds);
          const sent = await readSent(request, reading, hold);
          answer(request, reply, await takeIn(request, sent));
        },
        handler: () => {},
      });
  };
