import { Readable } from "node:stream";
import type { FastifyPluginAsync } from "fastify";
import { HttpError } from "./errors.js";
import { eventJson, type StoredEvent } from "./event.js";
import { decodePosition, type EventFeed, encodePosition, isBehind, isUpTo, type Position } from "./event-feed.js";
import { DEFAULT_WORKSPACE } from "./exact-text.js";
import type { LiveFeed, Page } from "./live-feed.js";

export interface LiveOptions {
  /** Milliseconds between comments on a silent stream, so that neither end takes it for dead; 15 s. */
  heartbeatMs?: number | undefined;
  /** Streams at a time; 100. One more is answered with 503. */
  maxStreams?: number | undefined;
}

/** Milliseconds after which a browser connects again. */
const RECONNECT_MS = 1_000;
/** Events read at a time for a client that goes on from an earlier position. */
const CHUNK = 500;

/**
 * `GET /demo/events/stream`: server-sent events, one for each event committed since the connection began, or since
 * the position that `Last-Event-ID` or `after` names. Whoever has caught up shares one reading of the database with all
 * others; before that each reads at its own pace.
 */
export const liveRoute =
  (feed: EventFeed, live: LiveFeed, { heartbeatMs = 15_000, maxStreams = 100 }: LiveOptions = {}): FastifyPluginAsync =>
  async (app) => {
    const closing = new AbortController();
    app.addHook("preClose", async () => closing.abort());
    let streams = 0;

    /** What was committed since a position, read by this client alone; returns the position behind it. */
    async function* catchUp(from: Position, closed: AbortSignal): AsyncGenerator<string, Position> {
      for (let position = from; ; ) {
        const read = await feed.read(DEFAULT_WORKSPACE, position, CHUNK);
        if (read.position === position || closed.aborted) return position;
        position = read.position;
        yield messages(read.events, position);
      }
    }

    /** What all read together, from a page on; returns a position when that page is too long ago. */
    async function* follow(from: Page, seen: Position, closed: AbortSignal): AsyncGenerator<string, Position> {
      let { number, position } = from;
      let heartbeatAt = Date.now() + heartbeatMs;
      // What was read in catching up comes again on the first pages.
      let isAhead = isBehind(position, seen);
      while (!closed.aborted) {
        const page = live.after(number);
        if (page === "gone") break;
        if (page === undefined) await live.changed(Math.max(0, heartbeatAt - Date.now()), closed);
        else {
          ({ number, position } = page);
          yield messages(isAhead ? page.events.filter((event) => !isUpTo(seen, event)) : page.events, position);
          isAhead &&= isBehind(position, seen);
        }
        if (Date.now() < heartbeatAt) continue;
        yield ": heartbeat\n\n";
        heartbeatAt = Date.now() + heartbeatMs;
      }
      return isAhead ? seen : position;
    }

    async function* stream(after: Position, present: Page | undefined, closed: AbortSignal): AsyncGenerator<string> {
      yield `retry: ${RECONNECT_MS}\nid: ${encodePosition(after)}\nevent: listening\ndata: {}\n\n`;
      let position = after;
      if (present !== undefined) position = yield* follow(present, position, closed);
      while (!closed.aborted) {
        // Taken before catching up, which then goes beyond it.
        const page = live.present();
        position = yield* follow(page, yield* catchUp(position, closed), closed);
      }
    }

    app.get("/demo/events/stream", { config: { unlimited: true }, exposeHeadRoute: false }, async (request, reply) => {
      if (streams >= maxStreams)
        throw new HttpError(503, `there are ${maxStreams} live pages already, try again later`, {
          "retry-after": "10",
        });
      streams += 1;
      const left = new AbortController();
      reply.raw.once("close", () => {
        streams -= 1;
        left.abort();
      });
      const closed = AbortSignal.any([closing.signal, left.signal]);
      const present = await live.join(closed);
      const { after: asked } = request.query as { after?: unknown };
      const resumed = request.headers["last-event-id"] ?? asked;
      const after = typeof resumed === "string" ? decodePosition(resumed) : undefined;
      return reply
        .type("text/event-stream; charset=utf-8")
        .header("cache-control", "no-store")
        .header("x-accel-buffering", "no")
        .send(
          Readable.from(stream(after ?? present.position, after === undefined ? present : undefined, closed), {
            highWaterMark: 1,
          }),
        );
    });
  };

/**
 * Events as messages. The position is that behind the last of them: who loses the connection before gets some of them
 * twice. Line ends can stand between the tokens of the params only, where a blank means the same.
 */
const messages = (events: readonly StoredEvent[], position: Position): string =>
  events
    .map((event, index) => {
      const id = index + 1 === events.length ? `id: ${encodePosition(position)}\n` : "";
      return `${id}event: event\ndata: ${eventJson(event).replace(/[\r\n]/g, " ")}\n\n`;
    })
    .join("");
