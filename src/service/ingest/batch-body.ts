import { elementsOf } from "../base/json-text.js";
import { HttpError, noJson } from "../http/errors.js";
import { MAX_BATCH_EVENTS } from "./schemas.js";

/* The body of several events: an array, or one event a line. */

/** Media types of one event a line. */
export const NDJSON = ["application/x-ndjson", "application/ndjson", "application/jsonl"];

/** An event as it came among others; `body` is what its text holds, if that is JSON. */
export interface Row {
  text: string;
  body?: unknown;
  wrong?: string;
}

/** The events of a body, in their order. @throws HttpError, or what `JSON.parse` throws */
export const readRows = (text: string, type: string): Row[] => {
  const isLines = NDJSON.includes(type);
  const rows = isLines ? readLines(text) : readArray(text);
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
