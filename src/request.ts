import type { Rules } from "./check.js";
import {
  ApiError,
  AuthenticationError,
  ConnectionError,
  NotFoundError,
  RateLimitError,
  TimeoutError,
} from "./errors.js";
import { type Hide, safeCause } from "./hide.js";
import { backOffMs, isTransient, retryAfterMs } from "./retry.js";

/** How to reach the service, and when to give up. */
export interface Reach {
  /** Instead of the global `fetch`. */
  fetch?: typeof globalThis.fetch | undefined;
  /** One deadline for a call with all its attempts and waits, in milliseconds; 30,000 unless set. */
  timeoutMs?: number | undefined;
  /** Attempts after the first one; 2 unless set. */
  retries?: number | undefined;
}

/** What may be said for a single call. */
export interface CallOptions {
  /** Ends the call at once, during a wait too: it rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
}

/** What {@link Reach} must look like. */
export const REACH: Rules = {
  timeoutMs: /^(u|[1-9]\d{0,8}$)/, // a timer of more than 2³¹ − 1 ms fires at once
  retries: /^(u|\d\d?$)/,
};

const KINDS: Record<number, typeof ApiError> = {
  401: AuthenticationError,
  403: AuthenticationError,
  404: NotFoundError,
  429: RateLimitError,
};

/** The body; what is not JSON stays a string, and none at all reads as `null`. */
const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text || "null");
  } catch {
    // The parser's message quotes the body: better lost than logged.
    return text;
  }
};

/** Sends one request; see {@link requester}. */
export type Request = <T extends object | null>(
  path: string,
  accept: (body: unknown) => T | string,
  options?: CallOptions,
) => Promise<T>;

/**
 * Makes the function that sends requests: again after a wait when that may help, until there is a 2xx answer, a final
 * one, or no time left. Nothing of a request is left running when it settles.
 *
 * Its `accept` makes the result out of the body of a 2xx answer, or says in words why it cannot. It rejects with
 * `ApiError` and its kinds, `ConnectionError`, `TimeoutError`, or the reason of the caller's signal.
 *
 * @param base the address in front of the path
 * @param hide takes the token out of whatever an error shows
 */
export const requester =
  (base: string, init: RequestInit, { fetch: send, timeoutMs = 30_000, retries = 2 }: Reach, hide: Hide): Request =>
  async (path, accept, { signal: caller } = {}) => {
    const { method = "GET" } = init;
    const url = hide(base + path);
    const what = `${method} ${url}`;
    // One controller does it all: AbortSignal.any is missing in older runtimes, and AbortSignal.timeout never ends early.
    const controller = new AbortController();
    const { signal } = controller;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let pause: ReturnType<typeof setTimeout> | undefined;
    let stop!: () => void;

    const attempts = async () => {
      for (let attempt = 0; ; attempt++) {
        try {
          // Followed, a redirect may carry the token to another host, and turns a POST into a GET (Fetch standard §4.4).
          const response = await (send ?? fetch)(base + path, { ...init, signal, redirect: "manual" });
          const body = parsed(await response.text());
          const { status, headers } = response;
          const result = response.ok ? accept(body) : hide(`${Object(body).error ?? ""}`);
          if (typeof result !== "string") return result;
          throw new (KINDS[status] ?? ApiError)(`${what}: ${status} ${result}`, {
            status,
            method,
            url,
            error: result,
            // A redirect's Location may repeat the query, and with it the token.
            headers: new Headers([...headers].map(([name, value]): [string, string] => [name, hide(value)])),
            retryAfterMs: retryAfterMs(headers.get("retry-after")),
          });
        } catch (thrown) {
          const error =
            thrown instanceof ApiError
              ? thrown
              : new ConnectionError(`${what}: no answer`, { cause: safeCause(thrown, hide) });
          // A service that cannot be reached counts as one that is down for a while.
          const { status = 503, retryAfterMs = 0 } = error as Partial<ApiError>;
          const wait = Math.max(backOffMs(attempt), retryAfterMs);
          // A wait beyond the deadline would only hide this error behind a time-out.
          if (signal.aborted || attempt >= retries || !isTransient(status) || wait >= timeoutMs) throw error;
          await new Promise((resume) => {
            pause = setTimeout(resume, wait);
          });
        }
      }
    };

    try {
      return await new Promise((resolve, reject) => {
        // Not left to fetch: an injected one may ignore its signal.
        stop = () => {
          controller.abort();
          reject(caller?.aborted ? caller.reason : new TimeoutError(`${what}: over ${timeoutMs} ms`));
        };
        timer = setTimeout(stop, timeoutMs);
        caller?.addEventListener("abort", stop);
        if (caller?.aborted) stop();
        else attempts().then(resolve, reject);
      });
    } finally {
      clearTimeout(timer);
      clearTimeout(pause);
      caller?.removeEventListener("abort", stop);
    }
  };
