// The public types of this entry, written by `npm run api`.

type Params = Record<string, unknown>;
interface Events {
}
type EventName<Declared> = [
    keyof Declared
] extends [
    never
] ? string : keyof Declared & string;
interface CommonParams {
    account_uid?: string;
    display_name?: string;
}
type TrackArguments<Declared, Name> = [
    keyof Declared
] extends [
    never
] ? [
    params?: Params
] : Name extends keyof Declared ? Record<never, never> extends Declared[Name] ? [
    params?: Declared[Name] & CommonParams
] : undefined extends Declared[Name] ? [
    params?: NonNullable<Declared[Name]> & CommonParams
] : [
    params: Declared[Name] & CommonParams
] : never;
interface TrackEvent {
    contact_uid?: string;
    event_uid: string;
    params: Params;
}
interface Problem {
    code: "input" | "paused" | "rejected" | "evicted";
    detail: string;
    event?: TrackEvent;
}
type DebugListener = (code: string | number, detail: string) => void;
type Consent = "granted" | "pending" | "denied";
interface Config {
    apiToken: string;
    trackUrl: string;
    eventPath?: string;
    contentType?: "application/json" | "text/plain";
    name?: string;
    contactUid?: string | number;
    accountUid?: string | number;
    params?: Params;
    pageviews?: "auto" | "hash" | "off";
    visitUrl?: (url: URL) => string | URL | null | false | undefined | void;
    beforeSend?: (event: TrackEvent) => TrackEvent | null | false | undefined | void;
    consent?: Consent;
    respectGpc?: boolean;
    maxEvents?: number;
    maxBytes?: number;
    maxAgeMs?: number;
    stamp?: boolean;
    onError?: (problem: Problem) => void;
    debug?: boolean;
}
interface FlushResult {
    delivered: number;
    queued: number;
    dropped: number;
}
interface Tracker<Declared = Events> {
    identify(contactUid: string | number, accountUid?: string | number): void;
    track<Name extends EventName<Declared>>(eventUid: Name, ...params: TrackArguments<Declared, Name>): void;
    pageview(params?: Params): void;
    flush(options?: {
        timeoutMs?: number;
    }): Promise<FlushResult>;
    reset(): void;
    consent(): Consent;
    optIn(): void;
    optOut(): void;
    debug(listener: DebugListener): void;
}
type Command = [
    verb: string,
    ...args: unknown[]
];
interface Hub extends Tracker {
    init(config: Config): void;
    push(...commands: Command[]): void;
}
declare const init: (config: Config) => void;
declare const identify: Tracker["identify"];
declare const track: Tracker["track"];
declare const pageview: Tracker["pageview"];
declare const reset: Tracker["reset"];
declare const optIn: Tracker["optIn"];
declare const optOut: Tracker["optOut"];
declare const consent: Tracker["consent"];
declare const flush: Tracker["flush"];
export { consent, flush, identify, init, optIn, optOut, pageview, reset, track };
export type { Command, CommonParams, Config, Consent, DebugListener, EventName, Events, FlushResult, Hub, Params, Problem, TrackArguments, TrackEvent, Tracker };
