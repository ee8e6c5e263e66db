// tracklet, entry "test": the public types, written by `npm run api`

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
type Consent = "granted" | "pending" | "denied";
type Identity = [
    contactUid?: string,
    accountUid?: string
];
type ChangeListener = (consent: Consent, identity: Identity, resetId: string) => void;
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
type RecordedEvent<Declared = Events, Name extends string = RecordedName<Declared>> = Name extends RecordedName<Declared> ? {
    contact_uid: string;
    event_uid: Name;
    params: RecordedParams<Declared, Name>;
} : never;
interface Recorder<Declared = Events> {
    all<Name extends RecordedName<Declared> = RecordedName<Declared>>(eventUid?: Name): RecordedEvent<Declared, Name>[];
    clear(): void;
    restore(): void;
    [Symbol.dispose](): void;
}
declare const recordEvents: <Declared = Events>({ name, stamp, ...options }?: Partial<Config<Declared>>) => Recorder<Declared>;
export { recordEvents };
export type { RecordedEvent, RecordedName, RecordedParams, Recorder };
