import type { IncomingMessage } from "node:http";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { HttpError } from "./errors.js";

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
  app.addContentTypeParser(
    ["application/json", "text/plain"],
    async (request: FastifyRequest, payload: IncomingMessage) => {
      try {
        request.bodyText = decode(await receive(request, payload, maxBytes));
        return JSON.parse(request.bodyText);
      } catch (error) {
        request.bodyError =
          error instanceof HttpError ? error : new HttpError(400, `the body must be JSON: ${(error as Error).message}`);
        return undefined;
      }
    },
  );
  app.addHook("preValidation", async (request) => {
    if (request.bodyError !== undefined) throw request.bodyError;
  });
};

/** Bytes over the limit that are still received; who sends more is cut off. */
const MAX_DISCARDED = 64 * 2 ** 20;

const receive = async (request: FastifyRequest, payload: IncomingMessage, maxBytes: number): Promise<Buffer> => {
  const coding = request.headers["content-encoding"] ?? "identity";
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of payload as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes <= maxBytes) chunks.push(chunk);
    else if (bytes > maxBytes + MAX_DISCARDED) break;
  }
  if (coding !== "identity") throw new HttpError(415, `the content encoding ${coding} is not understood`);
  if (bytes > maxBytes) throw new HttpError(413, `the body is over ${maxBytes} bytes`);
  return Buffer.concat(chunks);
};

const utf8 = new TextDecoder("utf-8", { fatal: true });

const decode = (bytes: Buffer): string => {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new HttpError(400, "the body must be JSON: it is not UTF-8");
  }
};
