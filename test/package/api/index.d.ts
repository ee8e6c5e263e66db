// The public types of this entry, written by `npm run api`.

type Params = Record<string, unknown>;
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
interface Config {
    apiToken: string;
    trackUrl: string;
    name?: string;
    contactUid?: string;
    accountUid?: string;
    pageviews?: "auto" | "hash" | "off";
    visitUrl?: (url: URL) => string | URL | null;
    maxEvents?: number;
    maxBytes?: number;
    maxAgeMs?: number;
    stamp?: boolean;
    onError?: (problem: Problem) => void;
}
interface FlushResult {
    delivered: number;
    queued: number;
    dropped: number;
}
interface Tracker {
    identify(contactUid: string, accountUid?: string): void;
    track(eventUid: string, params?: Params): void;
    pageview(params?: Params): void;
    flush(options?: {
        timeoutMs?: number;
    }): Promise<FlushResult>;
    reset(): void;
}
declare const createTracker: (config: Config) => Tracker;
declare const init: (config: Config) => void;
declare const identify: Tracker["identify"];
declare const track: Tracker["track"];
declare const pageview: Tracker["pageview"];
declare const reset: Tracker["reset"];
declare const flush: Tracker["flush"];
export { createTracker, flush, identify, init, pageview, reset, track };
export type { Config, FlushResult, Params, Problem, TrackEvent, Tracker };
