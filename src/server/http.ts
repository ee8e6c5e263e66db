import { isTransient } from "../shared/retry-policy.js";
import {
  type AnswerDetails,
  ApiError,
  AuthenticationError,
  ConnectionError,
  NotFoundError,
  RateLimitError,
  TimeoutError,
  type TrackletError,
} from "./errors.js";
import { COUNT, type Rules } from "./validate.js";

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

/** Takes the token out of a text, so that no message, address, header or cause can show it. */
type Hide = (text: string) => string;

/** Sends one request; see {@link requester}. */
export type Request = <T extends object | null>(
  path: string,
  accept: (body: never) => T,
  options?: CallOptions,
  orNull?: boolean,
) => Promise<T>;

/** What {@link Reach} must look like. */
export const REACH: Rules = { retries: COUNT, timeoutMs: COUNT };

const KINDS: Record<number, typeof ApiError> = {
  401: AuthenticationError,
  403: AuthenticationError,
  404: NotFoundError,
  429: RateLimitError,
};

/**
 * Makes the function that sends requests: again after a wait when that may help, until there is a 2xx answer, a final
 * one, or no time left. Nothing of a request is left running when it settles.
 *
 * Its `accept` makes the result out of the body of a 2xx answer, or throws the reason why it cannot; with `orNull`, a 404
 * is `null`. It rejects with `ApiError` and its kinds, `ConnectionError`, `TimeoutError`, or the reason of the caller's
 * signal.
 *
 * @param base the address in front of the path
 * @param hide takes the token out of whatever an error shows
 */
export const requester =
  (base: string, init: RequestInit, { fetch: send, timeoutMs = 30_000, retries = 2 }: Reach, hide: Hide): Request =>
  <T extends object | null>(
    path: string,
    accept: (body: never) => T,
    { signal: caller }: CallOptions = {},
    orNull?: boolean,
  ): Promise<T> => {
    const { method = "GET" } = init;
    const url = hide(base + path);
    const what = `${method} ${url}: `;
    // One controller does it all: AbortSignal.any is missing in older runtimes, and AbortSignal.timeout never ends early.
    const controller = new AbortController();
    const { signal } = controller;
    let deadline: ReturnType<typeof setTimeout> | undefined;
    let pause: ReturnType<typeof setTimeout> | undefined;

    return new Promise<T>((resolve, reject) => {
      const attempt = async (count: number): Promise<void> => {
        let error: TrackletError & Partial<AnswerDetails>;
        try {
          // Followed, a redirect may carry the token to another host, and turns a POST into a GET (Fetch standard §4.4).
          const response = await (send ?? fetch)(base + path, { ...init, redirect: "manual", signal });
          const text = await response.text();
          const { status, headers } = response;
          if (orNull && status === 404) return resolve(null as T);
          let reason: string;
          try {
            const body = JSON.parse(text || "null");
            if (response.ok) return resolve(accept(body as never));
            reason = hide(`${body?.error ?? ""}`);
          } catch (wrong) {
            // The parser's message quotes the body: better lost than logged.
            reason = wrong instanceof TypeError ? wrong.message : "no JSON";
          }
          error = Object.assign(new (KINDS[status] ?? ApiError)(`${what}${status} ${reason}`), {
            status,
            method,
            url,
            error: reason,
            // A redirect's Location may repeat the query, and with it the token.
            headers: new Headers([...headers].map((pair) => pair.map(hide) as typeof pair)),
            retryAfterMs: Number(headers.get("retry-after")) * 1_000 || 0,
          });
        } catch (thrown) {
          // What was thrown as a text or, where Node's fetch leaves what happened to the cause, the code of that. Nothing
          // else is safe to log: an injected fetch may hang the whole request, with its Authorization header, on it.
          error = new ConnectionError(`${what}no answer`, {
            cause: new Error(hide(`${(thrown as { cause?: { code?: unknown } } | undefined)?.cause?.code ?? thrown}`)),
          });
        }
        // A service that cannot be reached counts as one that is down for a while.
        const { status = 503, retryAfterMs } = error;
        // The deadline is the ceiling of both. Full jitter keeps clients that failed together from coming back together.
        const wait = retryAfterMs! > 0 ? retryAfterMs! : Math.random() * 1_000 * 2 ** count;
        // A wait beyond the deadline would only hide this error behind a time-out.
        if (count >= retries || wait >= timeoutMs || signal.aborted || !isTransient(status)) reject(error);
        else pause = setTimeout(attempt, wait, count + 1);
      };

      // Not left to fetch: an injected one may ignore its signal.
      const stop = () => reject(caller!.reason);
      deadline = setTimeout(reject, timeoutMs, new TimeoutError(`${what}over ${timeoutMs} ms`));
      caller?.addEventListener("abort", stop, { signal });
      if (caller?.aborted) stop();
      else attempt(0);
    }).finally(() => {
      controller.abort();
      clearTimeout(deadline);
      clearTimeout(pause);
    });
  };
