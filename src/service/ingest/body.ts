import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Holding } from "../access/body-memory.js";
import { networkOf } from "../access/limits.js";
import { elementsOf } from "../base/json-text.js";
import { HttpError, MEDIA_TYPE, noJson } from "../http/errors.js";
import { BATCH_PATH, MAX_BATCH_EVENTS } from "./schemas.js";

/** Media types of one event a line. */
export const NDJSON = ["application/x-ndjson", "application/ndjson", "application/jsonl"];

/** An event as it came among others; `body` is what its text holds, if that is JSON. */
export interface Row {
  text: string;
  body?: unknown;
  wrong?: string;
}

/** The event of a body. @throws HttpError, or what `JSON.parse` throws */
export const readOne = (text: string): Row[] => {
  const body = JSON.parse(text);
  if (Array.isArray(body))
    throw new HttpError(400, `the body must be an object: ${BATCH_PATH} takes several events in an array`);
  return [{ text, body }];
};

/** The events of a body that has several, in their order. @throws HttpError, or what `JSON.parse` throws */
export const readSeveral = (text: string, type: string): Row[] => {
  const rows = NDJSON.includes(type) ? readLines(text) : readArray(text);
  if (rows.length > MAX_BATCH_EVENTS) throw new HttpError(413, `the body has over ${MAX_BATCH_EVENTS} events`);
  return rows;
};

const readArray = (text: string): Row[] => {
  const bodies = JSON.parse(text);
  if (!Array.isArray(bodies))
    throw new HttpError(400, "the body must be an array of events, or one event a line as application/x-ndjson");
  const texts = elementsOf(text);
  return bodies.map((body, at) => ({ body, text: texts[at]! }));
};

const readLines = (text: string): Row[] =>
  text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => {
      try {
        return { text: line, body: JSON.parse(line) };
      } catch (error) {
        return { text: line, wrong: noJson("the event", error as Error).message };
      }
    });

declare module "fastify" {
  interface FastifyRequest {
    /** Bytes of the body as it was sent. */
    bodyBytes: number;
    /** Why the body cannot be used; told after the whole of it was received. */
    bodyError: HttpError | undefined;
  }
}

/** How bodies are read. */
interface Reading {
  /** Of a body, also of what it unpacks to. */
  maxBytes: number;
  /** See `createHeld`. */
  hold(network: string, cut: () => void): Holding;
  /** Makes events of its text. @throws HttpError, or what `JSON.parse` throws */
  read(text: string, type: string): Row[];
  /** Media types besides. */
  types?: readonly string[];
  /** Are bodies taken that are compressed by gzip? */
  unpacks?: boolean;
}

/**
 * Reads bodies of `application/json`, and of `text/plain` that holds JSON (what a beacon sends without a preflight).
 *
 * A body over the limit, or of another type, is received to its end before it is refused: a client whose connection is
 * closed while it still sends sees a network error instead of the answer, and would send the same again.
 */
export const readEventBodies = (
  app: FastifyInstance,
  { maxBytes, hold, read, types = [], unpacks = false }: Reading,
): void => {
  app.decorateRequest("bodyBytes", 0);
  app.decorateRequest("bodyError", undefined);
  app.removeAllContentTypeParsers();
  const receiver = (wrongType?: HttpError) => (request: FastifyRequest, payload: IncomingMessage, done: BodyDone) => {
    const coding = request.headers["content-encoding"] ?? "identity";
    const holdOfClient = (cut: () => void) => hold(networkOf(request.ip), cut);
    const use = (bytes: Buffer, length: number): void => {
      let rows: Row[] | undefined;
      try {
        if (length > maxBytes) throw new HttpError(413, `the body is over ${maxBytes} bytes`);
        if (wrongType !== undefined) throw wrongType;
        rows = read(decode(bytes), mediaType(request.headers["content-type"]));
      } catch (error) {
        request.bodyError = error instanceof HttpError ? error : noJson("the body", error as Error);
      }
      done(null, rows);
    };
    receive(payload, { maxBytes, hold: holdOfClient }, (broken, bytes, length) => {
      if (broken !== undefined) return done(broken);
      request.bodyBytes = length;
      const refuse = (error: HttpError): void => {
        request.bodyError = error;
        done(null);
      };
      if (coding === "identity") return use(bytes, length);
      if (wrongType !== undefined || !unpacks || coding !== "gzip")
        return refuse(wrongType ?? new HttpError(415, `the content encoding ${coding} is not understood`));
      if (length > maxBytes) return use(NOTHING, length);
      unpack(bytes, { maxOutputLength: maxBytes }).then(
        (unpacked) => use(unpacked, unpacked.length),
        ({ code }: NodeJS.ErrnoException) =>
          code === "ERR_BUFFER_TOO_LARGE"
            ? use(NOTHING, maxBytes + 1)
            : refuse(new HttpError(400, "the body cannot be unpacked: it is not gzip")),
      );
    });
  };
  app.addContentTypeParser(["application/json", "text/plain", ...types], receiver());
  app.addContentTypeParser("*", receiver(new HttpError(415, MEDIA_TYPE)));
};

/** The events of a request. @throws HttpError that says why its body cannot be used */
export const rowsOf = ({ body, bodyError }: FastifyRequest): readonly Row[] => {
  if (body !== undefined && bodyError === undefined) return body as Row[];
  throw bodyError ?? new HttpError(400, "the body is missing");
};

const unpack = promisify(gunzip);

/** A content type without its parameters. */
const mediaType = (type = ""): string => type.split(";", 1)[0]!.trim().toLowerCase();

type BodyDone = (error: Error | null, body?: unknown) => void;

/** Bytes over the limit that are still received; who sends more is cut off. */
const MAX_DISCARDED = 64 * 2 ** 20;

/** Its connection ends with the answer, for the rest of it may still be on the way. */
const tooSlow = (): HttpError =>
  new HttpError(408, "the body comes too slowly, while too many are under way: send it again", { connection: "close" });

/** Listeners, not iteration: that costs more than all else that is done to a body. Of a body too long gives the begin. */
const receive = (
  payload: IncomingMessage,
  { maxBytes, hold }: { maxBytes: number; hold(cut: () => void): Holding },
  done: (broken: Error | undefined, bytes: Buffer, length: number) => void,
): void => {
  const whole = Number(payload.headers["content-length"]);
  let chunks: Buffer[] = [];
  let length = 0;
  let holding: Holding | undefined;
  const end = (broken: Error | undefined): void => {
    payload.off("data", take).off("error", broke).off("end", ended);
    holding?.end();
    const bytes = broken !== undefined ? NOTHING : chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
    chunks = [];
    done(broken, bytes, length);
  };
  const take = (chunk: Buffer): void => {
    length += chunk.length;
    if (length > maxBytes + MAX_DISCARDED) payload.destroy();
    if (length - chunk.length > maxBytes) return;
    chunks.push(chunk);
    // Most come in one piece: nothing of them is on the way any more.
    if (chunk.length === whole) return;
    holding ??= hold(() => end(tooSlow()));
    holding.add(chunk.length);
  };
  // Whoever sent it is gone: as it is, the error would be taken for one of the database's connection.
  const broke = (): void => end(new HttpError(400, "the body was broken off", {}, "broken"));
  const ended = (): void => end(undefined);
  payload.on("data", take).once("error", broke).once("end", ended);
};

const NOTHING = Buffer.alloc(0);

const BYTE_ORDER_MARK = 0xfeff;

const decode = (bytes: Buffer): string => {
  if (!isUtf8(bytes)) throw new HttpError(400, "the body must be JSON: it is not UTF-8");
  const text = bytes.toString("utf8");
  return text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text;
};
