// tracklet, entry "read": the public types, written by `npm run api`

interface Reach {
    fetch?: typeof globalThis.fetch | undefined;
    timeoutMs?: number | undefined;
    retries?: number | undefined;
}
interface CallOptions {
    signal?: AbortSignal | undefined;
}
interface Stage {
    id?: string;
    name?: string;
    [member: string]: unknown;
}
interface References {
    object?: string;
    data?: {
        id: string;
        [member: string]: unknown;
    }[];
    [member: string]: unknown;
}
interface Metrics {
    health?: number | string;
    health_source?: string;
    [metric: string]: unknown;
}
interface Account {
    object?: "account";
    id?: string;
    unique_id?: string;
    created_at?: number;
    data?: Record<string, unknown>;
    stage?: Stage | null;
    salesmachine?: Metrics;
    contacts?: References;
    [member: string]: unknown;
}
interface Contact {
    object?: "contact";
    id?: string;
    unique_id?: string;
    created_at?: number;
    archived?: boolean;
    data?: Record<string, unknown>;
    stage?: Stage | null;
    salesmachine?: Metrics;
    accounts?: References;
    [member: string]: unknown;
}
interface User {
    object: "user";
    id: string;
    created_at: number;
    email: string;
    name: string;
    role: "admin" | (string & {});
    enabled: boolean;
    [member: string]: unknown;
}
interface Pagination {
    total: number;
    offset: number;
    limit: number;
    count: number;
    next?: string | null;
    [member: string]: unknown;
}
interface UserPage {
    object: "user.list";
    data: User[];
    pagination: Pagination;
    [member: string]: unknown;
}
interface StoredEvent {
    object: "event";
    id: string;
    received_at: number;
    occurred_at: number | null;
    contact_uid: string;
    account_uid: string | null;
    event_uid: string;
    params: Record<string, unknown>;
    settled: boolean;
    [member: string]: unknown;
}
interface EventPage {
    object: "event.list";
    data: StoredEvent[];
    pagination: {
        limit: number;
        count: number;
        next: string;
        [member: string]: unknown;
    };
    [member: string]: unknown;
}
interface List<Page extends {
    data: Item[];
}, Item> extends PromiseLike<Page>, AsyncIterable<Item> {
    pages(): AsyncGenerator<Page, void, undefined>;
}
interface ListOptions extends CallOptions {
    offset?: number | undefined;
    limit?: number | undefined;
    order?: "asc" | "desc" | undefined;
    sort?: "created_at" | undefined;
}
type UserList = List<UserPage, User>;
interface EventOptions extends CallOptions {
    contactUid?: string | undefined;
    accountUid?: string | undefined;
    eventUid?: string | undefined;
    since?: Date | number | undefined;
    until?: Date | number | undefined;
    after?: string | undefined;
    limit?: number | undefined;
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
interface ReaderConfig extends Reach {
    baseUrl: string;
    accessToken: string;
    allowBrowser?: boolean | undefined;
}
interface Records<T> {
    get(id: string, options?: CallOptions): Promise<T>;
    findByUid(uid: string, options?: CallOptions): Promise<T | null>;
}
interface Reader {
    accounts: Records<Account>;
    contacts: Records<Contact>;
    users: {
        list(options?: ListOptions): UserList;
    };
    events(options?: EventOptions): List<EventPage, StoredEvent>;
}
declare const createReader: (config: ReaderConfig) => Reader;
export { ApiError, AuthenticationError, ConnectionError, NotFoundError, RateLimitError, TimeoutError, TrackletError, createReader };
export type { Account, AnswerDetails, CallOptions, Contact, EventOptions, EventPage, List, ListOptions, Metrics, Pagination, Reach, Reader, ReaderConfig, Records, References, Stage, StoredEvent, User, UserList, UserPage };
