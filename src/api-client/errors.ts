/**
 * The errors of `tracklet/read` and `tracklet/send`. The browser part never throws and must not import this file.
 *
 * Each class answers to `instanceof` and to `error.name`: names are strings, so they survive minification and tell the
 * errors apart when two copies of the package are loaded. No error holds a token: see `redactTokens` in request.ts.
 */

/** A class of errors. `Error`'s second argument is of ES2022, which the ES2020 library does not know. */
type Kind<T extends Error> = new (message: string, options?: { cause: unknown }) => T;

/** Makes the class of errors of this name. */
const kind = <T extends Error>(name: string, parent: Kind<Error>): Kind<T> =>
  class extends parent {
    // An accessor of the prototype, so that the first line of the stack is right and inspection shows no extra member.
    override get name(): string {
      return name;
    }
  } as unknown as Kind<T>;

/** Whatever this package throws on purpose, except the `TypeError` of a wrong argument. */
export interface TrackletError extends Error {
  readonly cause?: unknown;
}
export const TrackletError: Kind<TrackletError> = kind("TrackletError", Error);

/** What an {@link ApiError} tells of the answer. */
export interface AnswerDetails {
  /** HTTP status; 0 when a page's `fetch` hides a redirect. */
  readonly status: number;
  readonly method: string;
  /** The address asked for, without the token. */
  readonly url: string;
  /** What the service says is wrong, in its body's `error` member; or why its answer cannot be used. */
  readonly error: string;
  /** Headers of the answer, without the token. */
  readonly headers: Headers;
  /** The wait that the service asked for, in milliseconds; 0 when it named none. */
  readonly retryAfterMs: number;
}

/** The service answered, but not with what was asked for: another status than 2xx, or a body that cannot be used. */
export interface ApiError extends TrackletError, AnswerDetails {}
export const ApiError: Kind<ApiError> = kind("ApiError", TrackletError);

/** 404: the service has no such object. */
export type NotFoundError = ApiError;
export const NotFoundError: Kind<NotFoundError> = kind("NotFoundError", ApiError);

/** 401 or 403: the token is wrong, or not allowed to do this. */
export type AuthenticationError = ApiError;
export const AuthenticationError: Kind<AuthenticationError> = kind("AuthenticationError", ApiError);

/** 429, and the retries are used up, or the wait that was asked for is longer than what is left of `timeoutMs`. */
export type RateLimitError = ApiError;
export const RateLimitError: Kind<RateLimitError> = kind("RateLimitError", ApiError);

/** No answer: refused, reset, unresolvable, or denied. `cause` says why. */
export type ConnectionError = TrackletError;
export const ConnectionError: Kind<ConnectionError> = kind("ConnectionError", TrackletError);

/** No usable answer within `timeoutMs`, attempts and waits included. */
export type TimeoutError = TrackletError;
export const TimeoutError: Kind<TimeoutError> = kind("TimeoutError", TrackletError);
