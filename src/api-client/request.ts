import { backOffMs, isTransient, retryAfterMs } from "../shared/retry-policy.js";
import {
  type AnswerDetails,
  ApiError,
  AuthenticationError,
  ConnectionError,
  NotFoundError,
  RateLimitError,
  TimeoutError,
  TrackletError,
} from "./errors.js";
import { checkWhole } from "./validate.js";

/**
 * Replaces tokens by `***`, also where some or all of their characters are percent-encoded, once or several times over
 * (each time, `%` becomes `%25`): a service or a proxy may repeat a token in a redirect, a header or a message.
 */
export const redactTokens = (text: string, tokens: string[]): string =>
  tokens.reduce((redacted, token) => {
    const pattern = token.replace(/[\s\S]/g, (unit) => {
      const code = unit.charCodeAt(0).toString(16);
      return `(%(25)*${code}|\\u${code.padStart(4, "0")})`;
    });
    return redacted.replace(new RegExp(pattern, "gi"), "***");
  }, text);

/**
 * Reads the body of an answer, and no more of it than the bound: a service or a proxy that has gone wrong may send
 * without an end, and what is read stays in memory.
 *
 * @returns the body as a text; `undefined` when it is longer, and is then cancelled
 */
export const readBody = async ({ body }: Response, maxMiB: number): Promise<string | undefined> => {
  if (!body) return "";
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    text += decoder.decode(value, { stream: true });
    bytes += value.length;
    if (bytes > maxMiB * 1_048_576) {
      // Not awaited: nothing depends on how it ends.
      reader.cancel().catch(() => {});
      return undefined;
    }
  }
};

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

/** @throws TypeError that names the option that is wrong */
export const checkReach = ({ timeoutMs = 0, retries = 0 }: Reach): void => {
  checkWhole("timeoutMs", timeoutMs);
  checkWhole("retries", retries);
};

/** What was asked, as far as its answer is concerned. */
interface Question<T> {
  method: string;
  url: string;
  /** The longest body that is read. */
  maxMiB: number;
  /**
   * Makes the result out of the body of a 2xx answer, or throws a TypeError that says why it cannot. Left out where the
   * status says it all: then a 2xx is a success, whatever becomes of its body.
   */
  accept?: ((body: never) => T) | undefined;
  /** Takes the token out of a text. */
  redact: (text: string) => string;
}

/** The class of error for a status. */
const KINDS: Record<number, typeof ApiError> = {
  401: AuthenticationError,
  403: AuthenticationError,
  404: NotFoundError,
  429: RateLimitError,
};

/**
 * Makes the result out of an answer.
 *
 * @throws ApiError when there is none, or what broke the body off
 */
const receive = async <T>(response: Response, { accept, maxMiB, method, redact, url }: Question<T>): Promise<T> => {
  const { headers, ok, status, statusText } = response;
  const text = await readBody(response, maxMiB);
  if (ok && !accept) return undefined as T;
  let error = statusText;
  try {
    if (text === undefined) throw new TypeError(`body: longer than ${maxMiB} MiB`);
    const body = JSON.parse(text || "null");
    if (ok) return accept!(body as never);
    if (typeof body?.error === "string") error = body.error;
  } catch (wrong) {
    // The parser's message quotes the body, which must not be logged.
    if (wrong instanceof TypeError) error = wrong.message;
    else if (ok) error = "body: expected JSON";
  }
  throw Object.assign(new (KINDS[status] ?? ApiError)(redact(`${method} ${url}: ${status} ${error}`)), {
    status,
    method,
    url: redact(url),
    error: redact(error),
    // A redirect's Location may repeat the query, and with it the token.
    headers: new Headers([...headers].map((pair) => pair.map(redact) as typeof pair)),
    retryAfterMs: retryAfterMs(headers.get("retry-after")),
  });
};

/** A request, as it is sent on each attempt. */
interface Request<T> extends Omit<Question<T>, "redact"> {
  headers: Record<string, string>;
  body?: string;
  /** What no error may show. */
  tokens: string[];
}

/**
 * Why there was no answer: the code that Node's `fetch` leaves in the cause, else what was thrown, as a text. Nothing
 * else is safe to log: an injected `fetch` may hang the whole request, with its Authorization header, on its error.
 * It may also throw what cannot be made a text.
 */
const reasonOf = (thrown: unknown): string => {
  try {
    return String((thrown as { cause?: { code?: unknown } } | undefined)?.cause?.code ?? thrown);
  } catch {
    return "unknown";
  }
};

/**
 * Sends a request: again after a wait when that may help, until there is a 2xx answer, a final one, or no time left.
 * Nothing of it is left running when it settles. It rejects with `ApiError` and its kinds, `ConnectionError`,
 * `TimeoutError`, or the reason of the caller's signal.
 */
export const request = async <T>(
  { body, headers, tokens, ...question }: Request<T>,
  { fetch: send = fetch, timeoutMs = 30_000, retries = 2 }: Reach,
  { signal: caller }: CallOptions = {},
): Promise<T> => {
  caller?.throwIfAborted();
  const { method, url } = question;
  // Done for errors alone: it costs more than all else of a call.
  const redact = (text: string): string => redactTokens(text, tokens);
  // One controller does it all: AbortSignal.any is missing in older runtimes, and AbortSignal.timeout never ends early.
  const controller = new AbortController();
  const { signal } = controller;
  const deadline = performance.now() + timeoutMs;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let pause: ReturnType<typeof setTimeout> | undefined;
  // From then on, nothing is an error: to send again because a body broke off would store an event twice.
  let isAccepted = false;

  const attempts = async (failed: number): Promise<T> => {
    try {
      // Followed, a redirect may carry the token to another host, and turns a POST into a GET (Fetch standard §4.4).
      const response = await send(url, { method, headers, body: body ?? null, redirect: "manual", signal });
      isAccepted = response.ok && !question.accept;
      return await receive(response, { ...question, redact });
    } catch (thrown) {
      const error: TrackletError & Partial<AnswerDetails> =
        thrown instanceof TrackletError
          ? thrown
          : new ConnectionError(redact(`${method} ${url}: no answer`), { cause: new Error(redact(reasonOf(thrown))) });
      // A service that cannot be reached counts as one that is down for a while.
      const { status = 503, retryAfterMs } = error;
      const wait = retryAfterMs || backOffMs(failed);
      // A wait beyond the deadline would only hide this error behind a time-out.
      const isTooLate = performance.now() + wait >= deadline;
      if (isAccepted || failed >= retries || isTooLate || signal.aborted || !isTransient(status)) throw error;
      await new Promise((resolve) => {
        pause = setTimeout(resolve, wait);
      });
      return attempts(failed + 1);
    }
  };

  // Not left to fetch: an injected one may ignore its signal.
  const stopped = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new TimeoutError(redact(`${method} ${url}: not done within ${timeoutMs} ms`))),
      timeoutMs,
    );
    caller?.addEventListener("abort", () => reject(caller.reason), { signal });
  });

  try {
    return await Promise.race([attempts(0), stopped]);
  } catch (error) {
    if (!isAccepted) throw error;
    return undefined as T;
  } finally {
    controller.abort();
    clearTimeout(timer);
    clearTimeout(pause);
  }
};
