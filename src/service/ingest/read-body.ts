import { isUtf8 } from "node:buffer";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import type { FastifyRequest } from "fastify";
import { type Hold, type Holding, networkOf } from "../access/limits.js";
import { elementsOf } from "../base/exact-text.js";
import { HttpError, MEDIA_TYPE, noJson } from "../http/error-answers.js";
import { BATCH_PATH, MAX_BATCH_EVENTS } from "./schemas.js";

/** Media types of JSON: `text/plain` is what a beacon sends without a preflight. */
export const JSON_TYPES = ["application/json", "text/plain"];
/** Media types of one event a line. */
export const NDJSON = ["application/x-ndjson", "application/ndjson", "application/jsonl"];

/** An event as it came; `body` is what its text holds, if that is JSON. */
export interface SentEvent {
  text: string;
  body?: unknown;
  wrong?: string;
}

/** The event of a body. @throws HttpError, or what `JSON.parse` throws */
export const readOne = (text: string): SentEvent[] => {
  const body = JSON.parse(text);
  if (Array.isArray(body))
    throw new HttpError(400, `the body must be an object: ${BATCH_PATH} takes several events in an array`);
  return [{ text, body }];
};

/** The events of a body that has several, in their order. @throws HttpError, or what `JSON.parse` throws */
export const readSeveral = (text: string, type: string): SentEvent[] => {
  const events = NDJSON.includes(type) ? readLines(text) : readArray(text);
  if (events.length > MAX_BATCH_EVENTS) throw new HttpError(413, `the body has over ${MAX_BATCH_EVENTS} events`);
  return events;
};

const readArray = (text: string): SentEvent[] => {
  const bodies = JSON.parse(text);
  if (!Array.isArray(bodies))
    throw new HttpError(400, "the body must be an array of events, or one event a line as application/x-ndjson");
  const texts = elementsOf(text);
  return bodies.map((body, at) => ({ body, text: texts[at]! }));
};

const readLines = (text: string): SentEvent[] =>
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
  }
}

export interface Reading {
  /** Of a body, also of what it unpacks to. */
  maxBytes: number;
  /** Makes events of its text. @throws HttpError, or what `JSON.parse` throws */
  read(text: string, type: string): SentEvent[];
  types: readonly string[];
  unpacks?: boolean;
}

/**
 * Reads the events of a body.
 *
 * One over the limit, or of another type, is received to its end before it is refused: a client whose connection is
 * closed while it still sends sees a network error instead of the answer, and would send the same again.
 *
 * @param hold bounds what is under way of all bodies
 * @throws HttpError that says why it cannot be used
 */
export const readSent = async (
  request: FastifyRequest,
  { maxBytes, read, types, unpacks = false }: Reading,
  hold: Hold,
): Promise<SentEvent[]> => {
  const { "content-type": given, "content-encoding": coding = "identity" } = request.headers;
  const { bytes, length } = await receive(request, maxBytes, hold);
  request.bodyBytes = length;
  if (length === 0 && given === undefined) throw new HttpError(400, "the body is missing");
  const type = mediaType(given);
  if (!types.includes(type)) throw new HttpError(415, MEDIA_TYPE);
  const isPacked = unpacks && coding === "gzip";
  if (coding !== "identity" && !isPacked) throw new HttpError(415, `the content encoding ${coding} is not understood`);
  if (length > maxBytes) throw tooLarge(maxBytes);
  const text = decode(isPacked ? await unpack(bytes, maxBytes) : bytes);
  try {
    return read(text, type);
  } catch (error) {
    throw error instanceof HttpError ? error : noJson("the body", error as Error);
  }
};

const tooLarge = (maxBytes: number): HttpError => new HttpError(413, `the body is over ${maxBytes} bytes`);

const gunzipped = promisify(gunzip);
const unpack = (bytes: Buffer, maxOutputLength: number): Promise<Buffer> =>
  gunzipped(bytes, { maxOutputLength }).catch(({ code }: NodeJS.ErrnoException) => {
    if (code === "ERR_BUFFER_TOO_LARGE") throw tooLarge(maxOutputLength);
    throw new HttpError(400, "the body cannot be unpacked: it is not gzip");
  });

/** A content type without its parameters. */
const mediaType = (type = ""): string => type.split(";", 1)[0]!.trim().toLowerCase();

/** Bytes over the limit that are still received; who sends more is cut off. */
const MAX_DISCARDED = 64 * 2 ** 20;

/** Its connection ends with the answer, for the rest of it may still be on the way. */
const tooSlow = (): HttpError =>
  new HttpError(408, "the body comes too slowly, while too many are under way: send it again", { connection: "close" });

/** Listeners, not iteration: that costs more than all else that is done to a body. Of a body too long gives the begin. */
const receive = (request: FastifyRequest, maxBytes: number, hold: Hold): Promise<{ bytes: Buffer; length: number }> =>
  new Promise((resolve, reject) => {
    const { raw } = request;
    const whole = Number(raw.headers["content-length"]);
    const chunks: Buffer[] = [];
    let length = 0;
    let holding: Holding | undefined;
    const fail = (error: HttpError): void => {
      raw.off("data", take);
      chunks.length = 0;
      holding?.end();
      reject(error);
    };
    const take = (chunk: Buffer): void => {
      length += chunk.length;
      if (length > maxBytes + MAX_DISCARDED) raw.destroy();
      if (length - chunk.length > maxBytes) return;
      chunks.push(chunk);
      // Most come in one piece: nothing of them is on the way any more.
      if (chunk.length === whole) return;
      holding ??= hold(networkOf(request.ip), () => fail(tooSlow()));
      holding.add(chunk.length);
    };
    raw.on("data", take);
    // Whoever sent it is gone: as it is, the error would be taken for one of the database's connection.
    raw.on("error", () => fail(new HttpError(400, "the body was broken off", {}, "broken")));
    raw.on("end", () => {
      holding?.end();
      resolve({ bytes: chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks), length });
    });
  });

const BYTE_ORDER_MARK = 0xfeff;

const decode = (bytes: Buffer): string => {
  if (!isUtf8(bytes)) throw new HttpError(400, "the body must be JSON: it is not UTF-8");
  const text = bytes.toString("utf8");
  return text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text;
};
