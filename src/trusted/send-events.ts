/** Several events in one request, which tracklet's own service takes. */

import { backOffMs } from "../shared/retry-policy.js";
import { uuid } from "../shared/uuid.js";
import { type ApiError, NotFoundError, type TrackletError } from "./http/errors.js";
import type { CallOptions } from "./http/reach.js";
import { request } from "./http/request.js";
import { check, checkWhole } from "./http/validate.js";
import { type AnyEvent, bodyOf, requestOf, type SendConfig, stampsOf } from "./sending.js";

/** Events and bytes of a request, as the service takes them. */
const [MAX_EVENTS, MAX_BYTES] = [1_000, 1_000_000];

/** An event of the past. */
export interface DatedEvent extends AnyEvent {
  /** When it was received, in milliseconds since 1970; the service obeys it with the admin token alone. */
  received_at?: number | undefined;
}

/** What became of an event. */
export interface SentEvent {
  /**
   * `stored`; `repeated`: it was stored before, by its `event_id`; `refused`: it is wrong in itself; `again`: it is not
   * stored as far as is known, and may be sent once more.
   */
  status: "stored" | "repeated" | "refused" | "again";
  /** Of `refused` and `again`, for a person. */
  why?: string | undefined;
  /** Of `again`: what ended the request, where it had no answer for each event. */
  error?: TrackletError | undefined;
}

const STATUSES = ["stored", "repeated", "refused", "again"];

/**
 * Sends events, up to 1,000 or 1 MB in a request, one request after another. What may be repeated is, as by `sendEvent`,
 * whose time and retries hold for each request; without `stamp`, events whose answer was lost may then be stored twice.
 *
 * @returns what became of each, in their order
 * @throws TypeError when an argument is wrong, before anything is sent
 * @throws as `sendEvent`, where the service has judged not a single event
 */
export const sendEvents = async (
  config: SendConfig,
  events: readonly DatedEvent[],
  options: CallOptions = {},
): Promise<SentEvent[]> => {
  const to = requestOf(config, "s");
  check(Array.isArray(events), "events: expected an array", events);
  const bodies = events.map((event, index) => {
    try {
      return bodyOfDated(config, event);
    } catch (error) {
      throw new TypeError(`events[${index}]: ${(error as Error).message}`);
    }
  });
  const sent = bodies.map((): SentEvent => ({ status: "again" }));
  let isJudged = false;

  /** Sends some of them, by their places, until there is a verdict on each, or `retries` are used up. */
  const send = async (places: number[], failed = 0): Promise<void> => {
    const body = `[${places.map((place) => bodies[place]).join()}]`;
    const verdicts = await request({ ...to, body, accept: verdictsOn(places.length) }, config, options).catch(
      async (error: ApiError) => {
        if (error.status !== 413) throw error;
        // It may be a proxy that takes less.
        const half = places.length >> 1;
        if (half === 0) return [{ status: "refused" as const, why: error.error }];
        await send(places.slice(0, half));
        return send(places.slice(half));
      },
    );
    if (!verdicts) return;
    isJudged = true;
    for (const [at, { status, why }] of verdicts.entries()) sent[places[at]!] = why ? { status, why } : { status };
    const again = places.filter((place) => sent[place]!.status === "again");
    if (again.length === 0 || failed >= (config.retries ?? 2)) return;
    await pause(backOffMs(failed), options.signal);
    await send(again, failed + 1);
  };

  try {
    for (const places of requestsOf(bodies)) await send(places);
  } catch (error) {
    if (error instanceof NotFoundError) error.message += " (only tracklet's own service takes several events)";
    if (!isJudged) throw error;
    for (const one of sent) if (one.status === "again") Object.assign(one, { why: String(error), error });
  }
  return sent;
};

/** An event that was received in the past gets no `occurred_at` of now. */
const bodyOfDated = (config: SendConfig, event: DatedEvent): string => {
  const { received_at } = Object(event) as DatedEvent;
  if (received_at === undefined) return bodyOf(event, stampsOf(config));
  checkWhole("received_at", received_at, { max: Number.MAX_SAFE_INTEGER });
  return bodyOf(event, config.stamp && { event_id: uuid() }, { received_at });
};

/** The places of the events of each request. */
function* requestsOf(bodies: readonly string[]): Generator<number[]> {
  const encoder = new TextEncoder();
  let places: number[] = [];
  let bytes = 2;
  for (const [place, body] of bodies.entries()) {
    const size = encoder.encode(body).length + 1;
    if (places.length === MAX_EVENTS || (places.length > 0 && bytes + size > MAX_BYTES)) {
      yield places;
      [places, bytes] = [[], 2];
    }
    places.push(place);
    bytes += size;
  }
  if (places.length > 0) yield places;
}

/** The body as one verdict for each event. */
const verdictsOn =
  (number: number) =>
  (body: SentEvent[]): SentEvent[] => {
    const isRight = Array.isArray(body) && body.length === number;
    check(
      isRight && body.every((one) => STATUSES.includes(Object(one).status)),
      "body: expected a verdict an event",
      body,
    );
    return body;
  };

const pause = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener("abort", () => resolve(clearTimeout(timer)), { once: true });
  });
