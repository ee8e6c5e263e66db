import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { FastifyInstance } from "fastify";
import { Type } from "typebox";
import { requireApiToken } from "../access/auth.js";
import { createHeld } from "../access/held-bytes.js";
import { pointsOf } from "../access/limits.js";
import { EXPOSED } from "../http/cors.js";
import { errors, HttpError } from "../http/errors.js";
import { batchRoute } from "./batch.js";
import { readEventBodies } from "./body.js";
import { type EventOptions, isObeyed, judgeEvent, type Shared, senderOf } from "./judge.js";
import { BATCH_PATH, EVENT_PATH, EventInput, MAX_BATCH_BYTES, OFFER, Success } from "./schemas.js";
import type { EventStore } from "./store/store.js";

const OFFERED = { "tracklet-batch": OFFER, [EXPOSED]: "Tracklet-Batch" };
/** As text, for nearly every answer is this one. */
const STORED = JSON.stringify({ status: "success" });

/** `POST /v1/track/event` and `/v1/track/events`: record one event, and several; answered once they are committed. */
export const eventRoutes =
  (store: EventStore, options: EventOptions): FastifyPluginAsyncTypebox =>
  async (app) => {
    const shared: Shared = {
      ...options,
      add: (event, giveBack) =>
        store.add(event).catch((error: unknown) => {
          giveBack();
          throw error;
        }),
      offer: (reply) => void reply.headers(OFFERED),
      spend: options.quota.spend,
      hold: createHeld(Math.max(options.maxEventBytes, MAX_BATCH_BYTES)),
    };
    if (options.gpc === "obey") obeyGpc(app, options.tellObeyed, shared.offer);
    await app.register(eventRoute(shared));
    await app.register(batchRoute(shared));
  };

/** Takes events of a browser that asks not to be tracked for stored. */
const obeyGpc = (app: FastifyInstance, tell: (events: number) => void, offer: Shared["offer"]): void => {
  app.addHook("preHandler", async (request, reply) => {
    if (!isObeyed(request)) return;
    const { body } = request;
    const rows = Array.isArray(body) ? body : undefined;
    tell(rows?.length ?? 1);
    offer(reply);
    return reply.send(rows?.map((_, index) => ({ index, status: "stored" })) ?? { status: "success" });
  });
};

const eventRoute =
  ({ access, add, hold, maxEventBytes, offer, prove, spend, tellIgnored }: Shared): FastifyPluginAsyncTypebox =>
  async (app) => {
    readEventBodies(app, { maxBytes: maxEventBytes, hold, parse: parseOne });
    app.post(
      EVENT_PATH,
      {
        preParsing: requireApiToken(access.tokens("api"), access.tokens("server")),
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
        const sender = senderOf(request);
        const { event, ignored } = judgeEvent(request.body, request.bodyText, sender, prove);
        const points = pointsOf(request.bodyBytes);
        const spent = spend({ ...sender, points });
        const giveBack = () => spent(points);
        event.onRepeat = giveBack;
        await add(event, giveBack);
        offer(reply);
        reply.type("application/json; charset=utf-8");
        if (ignored.length === 0) return STORED;
        tellIgnored();
        return JSON.stringify({ status: "success", ignored });
      },
    );
  };

const parseOne = (text: string): unknown => {
  const body = JSON.parse(text);
  if (Array.isArray(body))
    throw new HttpError(400, `the body must be an object: ${BATCH_PATH} takes several events in an array`);
  return body;
};
