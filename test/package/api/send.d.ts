// The public types of this entry, written by `npm run api`.

interface Reach {
    fetch?: typeof globalThis.fetch | undefined;
    timeoutMs?: number | undefined;
    retries?: number | undefined;
}
interface CallOptions {
    signal?: AbortSignal | undefined;
}
type Kind<T extends Error> = new (message: string, options?: {
    cause: unknown;
}) => T;
interface TrackletError extends Error {
    readonly cause?: unknown;
}
declare const TrackletError: Kind<TrackletError>;
interface AnswerDetails {
    readonly status: number;
    readonly method: string;
    readonly url: string;
    readonly error: string;
    readonly headers: Headers;
    readonly retryAfterMs: number;
}
interface ApiError extends TrackletError, AnswerDetails {
}
declare const ApiError: Kind<ApiError>;
type NotFoundError = ApiError;
declare const NotFoundError: Kind<NotFoundError>;
type AuthenticationError = ApiError;
declare const AuthenticationError: Kind<AuthenticationError>;
type RateLimitError = ApiError;
declare const RateLimitError: Kind<RateLimitError>;
type ConnectionError = TrackletError;
declare const ConnectionError: Kind<ConnectionError>;
type TimeoutError = TrackletError;
declare const TimeoutError: Kind<TimeoutError>;
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
