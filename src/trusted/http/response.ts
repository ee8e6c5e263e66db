import { ApiError, AuthenticationError, NotFoundError, RateLimitError } from "./errors.js";
import { readBody } from "./response-body.js";

/** What was asked, as far as its answer is concerned. */
export interface Question<T> {
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
export const receive = async <T>(
  response: Response,
  { accept, maxMiB, method, redact, url }: Question<T>,
): Promise<T> => {
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
    retryAfterMs: Math.max(0, Number(headers.get("retry-after")) * 1_000 || 0),
  });
};
