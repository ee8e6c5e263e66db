import type { IncomingHttpHeaders } from "node:http";

/** An event as it is sent. */
interface Event {
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
  /** The body as text without compression, and as an event, if it is JSON; complete once the fault was chosen. */
  body: string;
  event: Event | undefined;
  /** The events of the body, one or several. */
  events: Event[];
  /** What the page was answered; `undefined` while open, and for ever when it was cut off. */
  status: number | undefined;
  /** Left unanswered for ever by a fault. */
  hanging: boolean;
  /** Answered, cut off, or given up by the browser. */
  ended: boolean;
}

/** What happens to a request that has no fault. */
export type Kind =
  /** Forwarded; the page gets the service's answer. */
  | "pass"
  /** Never answered, never forwarded. */
  | "hang"
  /** The connection is reset (TCP RST) before the service has read anything. */
  | "reset"
  /** The service gets the request and answers it, then the connection is reset: the page never learns. */
  | "store-then-cut";

interface Common {
  /** Milliseconds that pass before the fault (or the forwarding) begins. Default 0. */
  delayMs?: number;
  /** The same, for as long as a test wants: it begins when this is settled. */
  until?: Promise<unknown>;
  /**
   * `"pass"` (default): preflights are forwarded to the service, only the requests after them meet the fault.
   * `"fault"`: preflights meet it, too.
   */
  preflight?: "pass" | "fault";
}

/** Answered by the proxy itself; the service never sees the request. */
export interface Answer extends Common {
  status: number;
  /** Header `Retry-After`, in seconds. */
  retryAfter?: number;
  headers?: Record<string, string>;
  /** Default: the service's own form of an error, `{"error": "…"}`; for a 2xx `{"status":"success"}`. */
  body?: string;
  /** Default `true`: the page may read status, body and `Retry-After`. `false` leaves every CORS header out. */
  cors?: boolean;
}

/** The long form of a {@link Kind}, for its options. */
export interface Connection extends Common {
  connection: Kind;
}

/** What one request meets. */
export type Fault = Kind | Answer | Connection;

/** What the proxy does: one fault for all, a choice for each request (nothing means pass), or no listener at all. */
export type Faults = Fault | "refuse" | ((request: RecordedRequest) => Fault | undefined);

/** Headers that let the page at `origin` read an answer, as a well-behaved service sends them. */
const corsHeaders = (origin: string | undefined): Record<string, string> => ({
  "access-control-allow-origin": origin ?? "*",
  ...(origin === undefined ? {} : { "access-control-allow-credentials": "true" }),
  "access-control-allow-methods": "GET, POST",
  "access-control-allow-headers": "content-type, authorization",
  "access-control-expose-headers": "Retry-After",
  vary: "Origin",
});

export interface Reply {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

/** The answer of an {@link Answer} to a page at `origin`. */
export const replyOf = (fault: Answer, origin: string | undefined): Reply => {
  const cors = fault.cors === false ? {} : corsHeaders(origin);
  const { status, retryAfter, headers, body } = fault;
  const ok = status >= 200 && status < 300;
  const text = body ?? (ok ? '{"status":"success"}' : JSON.stringify({ error: `answered ${status} by the proxy` }));
  return {
    status,
    headers: {
      ...cors,
      "content-type": "application/json",
      ...(retryAfter === undefined ? {} : { "retry-after": String(retryAfter) }),
      ...headers,
    },
    // A body on these statuses is a protocol error.
    body: status === 204 || status === 304 ? Buffer.alloc(0) : Buffer.from(text),
  };
};
