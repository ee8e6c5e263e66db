// tracklet, entry "send": the public types, written by `npm run api`

interface Reach {
    fetch?: typeof globalThis.fetch | undefined;
    timeoutMs?: number | undefined;
    retries?: number | undefined;
}
interface CallOptions {
    signal?: AbortSignal | undefined;
}
type Params = Record<string, unknown>;
interface Events {
}
type EventName<Declared> = [
    keyof Declared
] extends [
    never
] ? string : keyof Declared & string;
interface Settings {
}
type TakenName = Settings extends {
    stamp: false;
} ? never : "event_id" | "occurred_at" | "event_source" | "event_seq";
interface NameOfTheStamp {
    readonly needsStampFalse: never;
}
type Untaken<Given, Taken> = {
    [Member in keyof Given as Member extends Taken ? Member : never]?: NameOfTheStamp;
};
interface CommonParams {
    account_uid?: string | undefined;
    display_name?: string | undefined;
}
type ParamsObject = Params | (object & {
    [Symbol.iterator]?: never;
    [Symbol.toStringTag]?: never;
    [Symbol.hasInstance]?: never;
    preventDefault?: never;
});
type Unsendable = bigint | symbol | RegExp | PromiseLike<unknown> | ReadonlyMap<unknown, unknown> | ReadonlySet<unknown> | {
    readonly [Symbol.toStringTag]: string;
} | {
    arrayBuffer(): unknown;
} | {
    dispatchEvent(event: never): boolean;
} | {
    preventDefault(): void;
};
interface NotWrittenAsJson {
    readonly jsonCannotHoldThis: never;
}
type Sendable<Given, Levels extends unknown[] = [
    1,
    2,
    3,
    4
], Holder = unknown> = 0 extends 1 & Given ? Given : Given extends {
    toJSON(): unknown;
} ? Given : Given extends Unsendable | (Error & ("stack" extends keyof Given ? unknown : never)) ? NotWrittenAsJson : Given extends (...args: never) => unknown ? Holder extends Params | readonly unknown[] ? NotWrittenAsJson : Given : Given extends object ? Levels extends [
    unknown,
    ...infer Less
] ? {
    [Member in keyof Given]: Sendable<Given[Member], Less, Given>;
} : Given : Given;
type ParamsOf<Declared, Name, Taken> = Name extends keyof Declared ? [
    NonNullable<Declared[Name]>
] extends [
    never
] ? CommonParams : Sendable<NonNullable<Declared[Name]>> & Untaken<NonNullable<Declared[Name]>, Taken> & CommonParams : never;
type ParamsOfAll<Declared, Name, Taken> = (Name extends unknown ? (params: ParamsOf<Declared, Name, Taken>) => void : never) extends (params: infer All) => void ? All : never;
type Needing<Declared, Name> = Name extends keyof Declared ? undefined extends Declared[Name] ? never : Record<never, never> extends Declared[Name] ? never : Name : never;
type TrackArguments<Declared, Name, Given = ParamsObject, Taken = TakenName> = [
    keyof Declared
] extends [
    never
] ? [
    Name
] extends [
    ""
] ? [
    aNameIsNotEmpty: never
] : [
    params?: (Given & Sendable<Given> & Untaken<Given, Taken>) | undefined
] : [
    Needing<Declared, Name>
] extends [
    never
] ? [
    params?: ParamsOfAll<Declared, Name, Taken> | undefined
] : [
    params: ParamsOfAll<Declared, Name, Taken>
];
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
interface SendConfig extends Reach {
    trackUrl: string;
    apiToken: string;
    eventPath?: string | undefined;
    auth?: "basic" | "query" | undefined;
    stamp?: boolean | undefined;
}
interface ContactEvent {
    contact_uid: string | number;
    event_uid: string;
}
interface AnyEvent extends ContactEvent {
    params?: EventParams | ParamsObject | undefined;
}
type ParamsMember<Arguments extends unknown[]> = Arguments extends [
    infer Needed
] ? {
    params: Needed;
} : {
    params?: Arguments[0];
};
type ServerEvent<Declared = Events> = [
    keyof Declared
] extends [
    never
] ? AnyEvent : {
    [Name in EventName<Declared>]: ContactEvent & {
        event_uid: Name;
    } & ParamsMember<TrackArguments<Declared, Name, ParamsObject, never>>;
}[EventName<Declared>] | (AnyEvent & {
    event_uid: "pageview";
});
interface EventParams {
    account_uid?: string | undefined;
    display_name?: string | undefined;
    visit_url?: string | undefined;
    [member: string]: unknown;
}
interface DatedEvent extends AnyEvent {
    received_at?: number | undefined;
}
interface SentEvent {
    status: "stored" | "repeated" | "refused" | "again";
    why?: string | undefined;
    error?: TrackletError | undefined;
}
declare const sendEvents: (config: SendConfig, events: readonly DatedEvent[], options?: CallOptions) => Promise<SentEvent[]>;
interface AdminConfig extends Reach {
    baseUrl: string;
    adminToken: string;
}
interface AccountTraits {
    data?: object | undefined;
    stage?: Stage | null | undefined;
    health?: number | string | null | undefined;
    health_source?: string | null | undefined;
    created_at?: number | undefined;
}
interface ContactTraits extends AccountTraits {
    archived?: boolean | undefined;
    accounts?: readonly string[] | undefined;
}
type Update<Traits, T> = (config: AdminConfig, uid: string, traits: Traits, options?: CallOptions) => Promise<T>;
declare const updateContact: Update<ContactTraits, Contact>;
declare const updateAccount: Update<AccountTraits, Account>;
interface Identity {
    contactUid: string | number;
    accountUid?: string | number | undefined;
    expiresIn?: number | undefined;
}
declare const proveIdentity: (secret: string, { contactUid, accountUid, expiresIn }: Identity) => Promise<string>;
declare const sendEvent: (config: SendConfig, event: ServerEvent, options?: CallOptions) => Promise<void>;
export { ApiError, AuthenticationError, ConnectionError, NotFoundError, RateLimitError, TimeoutError, TrackletError, proveIdentity, sendEvent, sendEvents, updateAccount, updateContact };
export type { AccountTraits, AdminConfig, AnswerDetails, AnyEvent, CallOptions, ContactTraits, DatedEvent, EventParams, Identity, Reach, SendConfig, SentEvent, ServerEvent };
