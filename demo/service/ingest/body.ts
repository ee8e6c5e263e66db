import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import type { FastifyInstance } from "fastify";
import { HttpError } from "../http/errors.js";
import { networkOf } from "../http/limits.js";
import { createHeld, type Holding } from "./held.js";

declare module "fastify" {
  interface FastifyRequest {
    /** The body as it was sent, decoded; empty when none was read. */
    bodyText: string;
    /** Why the body cannot be used; told after the whole of it was received. */
    bodyError: HttpError | undefined;
  }
}

/**
 * Reads bodies of `application/json`, and of `text/plain` that holds JSON (what a beacon sends without a preflight).
 *
 * A body over the limit is received to its end, and thrown away, before it is refused: a client whose connection is
 * closed while it still sends sees a network error instead of the 413, and would send the same again.
 */
export const readEventBodies = (app: FastifyInstance, maxBytes: number): void => {
  app.decorateRequest("bodyText", "");
  app.decorateRequest("bodyError", undefined);
  app.removeAllContentTypeParsers();
  const hold = createHeld(maxBytes);
  app.addContentTypeParser(["application/json", "text/plain"], (request, payload: IncomingMessage, done) => {
    const coding = request.headers["content-encoding"] ?? "identity";
    const holdOfClient = (cut: () => void) => hold(networkOf(request.ip), cut);
    receive(payload, { maxBytes, hold: holdOfClient }, (broken, bytes) => {
      if (broken !== undefined) return done(broken);
      let body: unknown;
      try {
        if (coding !== "identity") throw new HttpError(415, `the content encoding ${coding} is not understood`);
        if (bytes === undefined) throw new HttpError(413, `the body is over ${maxBytes} bytes`);
        request.bodyText = decode(bytes);
        body = JSON.parse(request.bodyText);
      } catch (error) {
        request.bodyError =
          error instanceof HttpError ? error : new HttpError(400, `the body must be JSON: ${(error as Error).message}`);
      }
      done(null, body);
    });
  });
  app.addHook("preValidation", (request, _reply, done) => done(request.bodyError));
};

/** Bytes over the limit that are still received; who sends more is cut off. */
const MAX_DISCARDED = 64 * 2 ** 20;

/** Its connection ends with the answer, for the rest of it may still be on the way. */
const tooSlow = (): HttpError =>
  new HttpError(408, "the body comes too slowly, while too many are under way: send it again", { connection: "close" });

/** Listeners, not iteration: that costs more than all else that is done to a body. Gives no bytes of a body too long. */
const receive = (
  payload: IncomingMessage,
  { maxBytes, hold }: { maxBytes: number; hold(cut: () => void): Holding },
  done: (broken: Error | undefined, bytes?: Buffer) => void,
): void => {
  let chunks: Buffer[] = [];
  let length = 0;
  const end = (broken: Error | undefined, bytes?: Buffer): void => {
    payload.off("data", take).off("error", broke).off("end", ended);
    holding.end();
    chunks = [];
    done(broken, bytes);
  };
  const take = (chunk: Buffer): void => {
    length += chunk.length;
    if (length > maxBytes + MAX_DISCARDED) payload.destroy();
    if (length > maxBytes) return;
    chunks.push(chunk);
    holding.add(chunk.length);
  };
  // Whoever sent it is gone: as it is, the error would be taken for one of the database's connection.
  const broke = (): void => end(new HttpError(400, "the body was broken off"));
  const ended = (): void =>
    length > maxBytes ? end(undefined) : end(undefined, chunks.length === 1 ? chunks[0] : Buffer.concat(chunks));
  const holding = hold(() => end(tooSlow()));
  payload.on("data", take).once("error", broke).once("end", ended);
};

const BYTE_ORDER_MARK = 0xfeff;

const decode = (bytes: Buffer): string => {
  if (!isUtf8(bytes)) throw new HttpError(400, "the body must be JSON: it is not UTF-8");
  const text = bytes.toString("utf8");
  return text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text;
};
