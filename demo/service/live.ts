import { Readable } from "node:stream";
import type { FastifyPluginAsync } from "fastify";
import { eventJson, type StoredEvent } from "./event.js";
import { decodePosition, type EventFeed, encodePosition, type Position } from "./event-feed.js";
import { DEFAULT_WORKSPACE } from "./exact-text.js";
import type { Ticker } from "./ticker.js";

/** Milliseconds between comments on a silent stream, so that neither end takes it for dead. */
const HEARTBEAT_MS = 15_000;
/** Milliseconds after which a browser connects again. */
const RECONNECT_MS = 1_000;
/** Events read at a time for a client that is behind. */
const CHUNK = 500;

/**
 * `GET /demo/events/stream`: server-sent events, one for each event committed since the connection began, or since
 * the position that `Last-Event-ID` or `after` names. Each client reads from the database at its own pace, so a slow one costs no memory.
 */
export const liveRoute =
  (feed: EventFeed, ticker: Ticker, heartbeatMs = HEARTBEAT_MS): FastifyPluginAsync =>
  async (app) => {
    const closing = new AbortController();
    app.addHook("preClose", async () => closing.abort());

    async function* follow(after: Position, closed: AbortSignal): AsyncGenerator<string> {
      let position = after;
      let heartbeatAt = Date.now() + heartbeatMs;
      yield `retry: ${RECONNECT_MS}\nid: ${encodePosition(position)}\nevent: listening\ndata: {}\n\n`;
      while (!closed.aborted) {
        // Asked before reading: what is committed in between wakes the wait below at once.
        const changed = ticker.next(position, Math.max(0, heartbeatAt - Date.now()), closed);
        const read = await feed.read(DEFAULT_WORKSPACE, position, CHUNK);
        const isDone = read.position === position;
        position = read.position;
        // The position is that behind the last of them: who loses the connection before gets some of them twice.
        for (const [index, event] of read.events.entries())
          yield message(event, index + 1 === read.events.length ? position : undefined);
        if (isDone) await changed;
        if (Date.now() < heartbeatAt) continue;
        yield ": heartbeat\n\n";
        heartbeatAt = Date.now() + heartbeatMs;
      }
    }

    app.get("/demo/events/stream", { config: { rateLimit: false }, exposeHeadRoute: false }, async (request, reply) => {
      const { after: asked } = request.query as { after?: unknown };
      const resumed = request.headers["last-event-id"] ?? asked;
      const after = (typeof resumed === "string" ? decodePosition(resumed) : undefined) ?? (await feed.now());
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
const message = (event: StoredEvent, position: Position | undefined): string =>
  `${position === undefined ? "" : `id: ${encodePosition(position)}\n`}event: event\ndata: ${eventJson(event).replace(/[\r\n]/g, " ")}\n\n`;
