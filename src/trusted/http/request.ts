import { backOffMs, isTransient } from "../../shared/retry-policy.js";
import { type AnswerDetails, ConnectionError, TimeoutError, TrackletError } from "./errors.js";
import type { CallOptions, Reach } from "./reach.js";
import { redactTokens } from "./redact-tokens.js";
import { type Question, receive } from "./response.js";

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
