import type { IncomingHttpHeaders } from "node:http";

/** An event as it stood in a request's body. */
export interface SentEvent {
  contact_uid?: string;
  event_uid?: string;
  params?: Record<string, unknown>;
}

/** What the proxy saw of one request. It goes on changing until `ended`. */
export interface RecordedRequest {
  readonly method: string;
  /** Path and query, as sent. */
  readonly url: string;
  /** All request headers, names in lower case. */
  readonly headers: IncomingHttpHeaders;
  /** When its head arrived: milliseconds of the monotonic clock that `performance.now()` reads. */
  readonly arrivedAt: number;
  /** Which connection to the proxy it came on, counted from 1. */
  readonly connection: number;
  /** The body as text; complete once the fault was chosen. */
  body: string;
  /** The body as an event, if it is JSON. */
  event: SentEvent | undefined;
  /** Whether the service was asked. */
  forwarded: boolean;
  /** What the service answered, whether or not the page got to know. */
  serviceStatus: number | undefined;
  /** What the page was answered; `undefined` while open, and for ever when it was cut off. */
  status: number | undefined;
  /** When the answer began to leave, on the same clock as `arrivedAt`; no page can have known of it earlier. */
  answeredAt: number | undefined;
  /** Left unanswered for ever by a fault. */
  hanging: boolean;
  /** Answered, cut off, or given up by the browser. */
  ended: boolean;
}
