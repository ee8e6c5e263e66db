import type { IncomingHttpHeaders } from "node:http";

/** What the proxy saw of one request. It goes on changing until `ended`. */
export interface RecordedRequest {
  readonly method: string;
  /** Path and query, as sent. */
  readonly url: string;
  /** All request headers, names in lower case. */
  readonly headers: IncomingHttpHeaders;
  /** The body as text, and as an event, if it is JSON; complete once the fault was chosen. */
  body: string;
  event: { contact_uid?: string; event_uid?: string; params?: Record<string, unknown> } | undefined;
  /** What the page was answered; `undefined` while open, and for ever when it was cut off. */
  status: number | undefined;
  /** Left unanswered for ever by a fault. */
  hanging: boolean;
  /** Answered, cut off, or given up by the browser. */
  ended: boolean;
}
