// The public types of this entry, written by `npm run api`.

interface Reach {
    fetch?: typeof globalThis.fetch | undefined;
    timeoutMs?: number | undefined;
    retries?: number | undefined;
}
interface CallOptions {
    signal?: AbortSignal | undefined;
}
type ErrorWithCause = new (message: string, options?: {
    cause: unknown;
}) => Error;
declare const TrackletError_base: ErrorWithCause;
declare class TrackletError extends TrackletError_base {
    get name(): string;
}
interface AnswerDetails {
    status: number;
    method: string;
    url: string;
    error: string;
    headers: Headers;
    retryAfterMs: number;
}
declare class ApiError extends TrackletError implements AnswerDetails {
    readonly status: number;
    readonly method: string;
    readonly url: string;
    readonly error: string;
    readonly headers: Headers;
    readonly retryAfterMs: number;
    get name(): string;
}
declare class NotFoundError extends ApiError {
    get name(): string;
}
declare class AuthenticationError extends ApiError {
    get name(): string;
}
declare class RateLimitError extends ApiError {
    get name(): string;
}
declare class ConnectionError extends TrackletError {
    get name(): string;
}
declare class TimeoutError extends TrackletError {
    get name(): string;
}
interface SendConfig extends Reach {
    trackUrl: string;
    apiToken: string;
    eventPath?: string | undefined;
    auth?: "basic" | "query" | undefined;
    stamp?: boolean | undefined;
}
interface ServerEvent {
    contact_uid: string;
    event_uid: string;
    params?: EventParams | undefined;
}
interface EventParams {
    account_uid?: string;
    display_name?: string;
    visit_url?: string;
    [member: string]: unknown;
}
declare const sendEvent: (config: SendConfig, event: ServerEvent, options?: CallOptions) => Promise<void>;
export { ApiError, AuthenticationError, ConnectionError, NotFoundError, RateLimitError, TimeoutError, TrackletError, sendEvent };
export type { AnswerDetails, CallOptions, EventParams, Reach, SendConfig, ServerEvent };
