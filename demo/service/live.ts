import { Readable } from "node:stream";
import type { FastifyPluginAsync } from "fastify";
import { eventJson, type StoredEvent } from "./event.js";
import type { EventStore } from "./event-store.js";
import type { Ticker } from "./ticker.js";

/** Milliseconds between comments on a silent stream, so that neither end takes it for dead. */
const HEARTBEAT_MS = 15_000;
/** Milliseconds after which a browser connects again. */
const RECONNECT_MS = 1_000;
/** Events read at a time for a client that is behind. */
const CHUNK = 500;

/**
 * `GET /demo/events/stream`: server-sent events, one for each event committed since the connection began, or since
 * `Last-Event-ID`. Each client reads from the database at its own pace, so a slow one costs no memory.
 */
export const liveRoute =
  (store: EventStore, ticker: Ticker, heartbeatMs = HEARTBEAT_MS): FastifyPluginAsync =>
  async (app) => {
    const closing = new AbortController();
    app.addHook("preClose", async () => closing.abort());

    async function* follow(after: number, closed: AbortSignal): AsyncGenerator<string> {
      let position = after;
      let heartbeatAt = Date.now() + heartbeatMs;
      yield `retry: ${RECONNECT_MS}\n: listening\n\n`;
      while (!closed.aborted) {
        // Asked before reading: what is committed in between wakes the wait below at once.
        const changed = ticker.next(position, Math.max(0, heartbeatAt - Date.now()), closed);
        const events = await store.list({ after: position, limit: CHUNK });
        for (const event of events) yield message(event);
        position = events.at(-1)?.id ?? position;
        if (events.length === 0) await changed;
        if (Date.now() < heartbeatAt) continue;
        yield ": heartbeat\n\n";
        heartbeatAt = Date.now() + heartbeatMs;
      }
    }

    app.get("/demo/events/stream", { config: { rateLimit: false }, exposeHeadRoute: false }, async (request, reply) => {
      const now = await store.lastId();
      const resumed = request.headers["last-event-id"];
      // An id from a database that was deleted since lies ahead of this one.
      const after = typeof resumed === "string" && /^\d+$/.test(resumed) ? Math.min(Number(resumed), now) : now;
      const left = new AbortController();
      reply.raw.once("close", () => left.abort());
      return reply
        .type("text/event-stream; charset=utf-8")
        .header("cache-control", "no-store")
        .header("x-accel-buffering", "no")
        .send(Readable.from(follow(after, AbortSignal.any([closing.signal, left.signal])), { highWaterMark: 1 }));
    });
  };

/** Line ends can stand between the tokens of the params only, where a blank means the same. */
const message = (event: StoredEvent): string =>
  `id: ${event.id}\nevent: event\ndata: ${eventJson(event).replace(/[\r\n]/g, " ")}\n\n`;
