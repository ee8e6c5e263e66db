/**
 * The errors of `tracklet/read` and `tracklet/send`. The browser part never throws and must not import this file.
 *
 * Each class answers to `instanceof` and to `error.name`: names are strings, so they survive minification and tell the
 * errors apart when two copies of the package are loaded. No error holds a token: see hide.ts.
 */

/** `Error` with its second argument (ES2022), which the ES2020 library does not know. */
type ErrorWithCause = new (message: string, options?: { cause: unknown }) => Error;

/** Whatever this package throws on purpose, except the `TypeError` of a wrong argument. */
export class TrackletError extends (Error as ErrorWithCause) {
  // An accessor of the prototype, so that the first line of the stack is right and inspection shows no extra member.
  override get name(): string {
    return "TrackletError";
  }
}

/** What an {@link ApiError} tells of the answer. */
export interface AnswerDetails {
  /** HTTP status; 0 when a page's `fetch` hides a redirect. */
  status: number;
  method: string;
  /** The address asked for, without the token. */
  url: string;
  /** What the service says is wrong, in its body's `error` member; or why its answer cannot be used. */
  error: string;
  /** Headers of the answer, without the token. */
  headers: Headers;
  /** The wait that the service asked for, in milliseconds; 0 when it named none. */
  retryAfterMs: number;
}

/** The service answered, but not with what was asked for: another status than 2xx, or a body that cannot be used. */
export class ApiError extends TrackletError implements AnswerDetails {
  declare readonly status: number;
  declare readonly method: string;
  declare readonly url: string;
  declare readonly error: string;
  declare readonly headers: Headers;
  declare readonly retryAfterMs: number;
  override get name(): string {
    return "ApiError";
  }
}

/** 404: the service has no such object. */
export class NotFoundError extends ApiError {
  override get name(): string {
    return "NotFoundError";
  }
}

/** 401 or 403: the token is wrong, or not allowed to do this. */
export class AuthenticationError extends ApiError {
  override get name(): string {
    return "AuthenticationError";
  }
}

/** 429, and the retries are used up or the wait that was asked for would pass the deadline. */
export class RateLimitError extends ApiError {
  override get name(): string {
    return "RateLimitError";
  }
}

/** No answer: refused, reset, unresolvable, or denied. `cause` says why. */
export class ConnectionError extends TrackletError {
  override get name(): string {
    return "ConnectionError";
  }
}

/** No usable answer within `timeoutMs`, attempts and waits included. */
export class TimeoutError extends TrackletError {
  override get name(): string {
    return "TimeoutError";
  }
}
