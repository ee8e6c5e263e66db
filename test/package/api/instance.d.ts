// tracklet, entry "instance": the public types, written by `npm run api`

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
type PageParams = ParamsObject & {
    [Name in TakenName]?: NameOfTheStamp;
};
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
type RecordedName<Declared = Events> = EventName<Declared> | "pageview" | "file_downloaded" | "link_clicked" | "page_active";
type RecordedParams<Declared, Name> = Name extends keyof Declared ? Declared[Name] extends undefined ? CommonParams : NonNullable<Declared[Name]> & CommonParams : Name extends "pageview" ? Params & {
    visit_url: string;
} : Params;
interface TrackEvent {
    contact_uid?: string;
    event_uid: string;
    params: Params;
}
type HookedEvent<Declared = Events> = [
    keyof Declared
] extends [
    never
] ? TrackEvent : {
    [Name in RecordedName<Declared>]: {
        contact_uid?: string;
        event_uid: Name;
        params: Params & Partial<RecordedParams<Declared, Name>>;
    };
}[RecordedName<Declared>];
type BeforeSend<Declared = Events> = (event: HookedEvent<Declared>, call: {
    again: boolean;
}) => Answer;
type Answer = TrackEvent | null | false | undefined | void;
type Status = `status ${number}`;
type Bound = "maxAgeMs" | "maxBytes" | "maxEvents, maxBytes" | "identify";
type Told<Code extends string, Detail extends string, Members> = {
    code: Code;
    detail: Detail;
} & Members;
type Problem<Declared = Events> = Told<"input", string, {
    option: string;
    event?: undefined;
}> | Told<"throttled", string, {
    name: string;
    count: number;
    event?: undefined;
}> | Told<"paused", Status, {
    status: number;
    event?: undefined;
}> | Told<"rejected", Status, {
    status: number;
    event: HookedEvent<Declared>;
}> | Told<"evicted", Bound, {
    bound: Bound;
    event: HookedEvent<Declared>;
}>;
type DebugListener = (code: string | number, detail: string) => void;
type Consent = "granted" | "pending" | "denied";
type Identity = [
    contactUid?: string,
    accountUid?: string
];
type ChangeListener = (consent: Consent, identity: Identity, resetId: string) => void;
interface FlushResult {
    delivered: number;
    queued: number;
    dropped: number;
}
interface Identifying {
    proof?: string | undefined;
}
interface Tracker<Declared = Events> {
    identify<Uid extends string | number>(contactUid: Uid extends "" ? never : Uid, accountUid?: string | number | null, options?: Identifying): void;
    track<Name extends EventName<Declared>, Given extends ParamsObject = ParamsObject>(eventUid: Name, ...params: TrackArguments<Declared, Name, Given>): void;
    pageview(params?: PageParams): void;
    flush(options?: {
        timeoutMs?: number | undefined;
    }): Promise<FlushResult>;
    reset(): void;
    identity(): Identity;
    consent(): Consent;
    optIn(): void;
    optOut(): void;
    onChange(listener: ChangeListener): () => void;
    debug(listener: DebugListener): void;
}
interface Config<Declared = Events> {
    apiToken: string;
    formerToken?: string | undefined;
    trackUrl: string;
    eventPath?: string | undefined;
    contentType?: "application/json" | "text/plain" | undefined;
    name?: string | undefined;
    contactUid?: string | number | undefined;
    accountUid?: string | number | null | undefined;
    identity?: "remembered" | "page" | undefined;
    proof?: string | undefined;
    params?: PageParams | (() => PageParams) | undefined;
    pageviews?: "auto" | "hash" | "off" | undefined;
    query?: "all" | "none" | (string & {}) | readonly string[] | undefined;
    referrer?: boolean | undefined;
    paths?: "keep" | `/${string}` | readonly `/${string}`[] | undefined;
    beforeSend?: BeforeSend<Declared> | undefined;
    consent?: Consent | undefined;
    respectGpc?: boolean | undefined;
    maxEvents?: number | undefined;
    maxBytes?: number | undefined;
    maxAgeMs?: number | undefined;
    stamp?: boolean | undefined;
    mute?: boolean | undefined;
    onChange?: ChangeListener | undefined;
    onError?: ((problem: Problem<Declared>) => void) | undefined;
    debug?: boolean | undefined;
}
interface InstanceConfig<Declared = Events> extends Config<Declared> {
    name: string;
    page?: string | undefined;
}
declare const createTracker: <Declared = Events>(config: InstanceConfig<Declared>) => Tracker<Declared>;
export { createTracker };
export type { InstanceConfig };
