/** An event as it travels, and what is told of events and visitors. */

import type { Events, Params, RecordedName, RecordedParams } from "./declared.js";

/** An event as it travels: the body of `POST /v1/track/event`. */
export interface TrackEvent {
  /** Unique id of the contact; absent while nobody is identified. */
  contact_uid?: string;
  /** Name of the action, in snake case; `"pageview"` denotes a page view. */
  event_uid: string;
  params: Params;
}

/**
 * An event as a hook sees it. Where the app has declared its events, `event_uid` tells the type of `params`. Any member may be
 * missing: the hook itself may have removed it before.
 */
export type HookedEvent<Declared = Events> = [keyof Declared] extends [never]
  ? TrackEvent
  : {
      [Name in RecordedName<Declared>]: {
        contact_uid?: string;
        event_uid: Name;
        params: Params & Partial<RecordedParams<Declared, Name>>;
      };
    }[RecordedName<Declared>];

/**
 * Changes an event before it is stored, in place or by giving another one back, or drops it (`null`, `false`). One that throws
 * drops it as well, and is reported.
 *
 * @param call `again`: the event is from before `identify`, and has got contact and account. The hook has seen it without them,
 *   perhaps on another page, so it must bear its own result.
 */
export type BeforeSend<Declared = Events> = (event: HookedEvent<Declared>, call: { again: boolean }) => Answer;
// biome-ignore lint/suspicious/noConfusingVoidType: a hook may return nothing
type Answer = TrackEvent | null | false | undefined | void;

/** What the service has answered: the HTTP status follows, as a number. */
type Status = `status ${number}`;

/** The option whose bound was reached; `"identify"`: nobody was identified, and too many events wait for that, or for too long. */
type Bound = "maxAgeMs" | "maxBytes" | "maxEvents, maxBytes" | "identify";

/** A problem: what it concerns as a text, and in members of its own. */
type Told<Code extends string, Detail extends string, Members> = { code: Code; detail: Detail } & Members;

/**
 * A decision of the tracker that concerns whoever runs the page, given to `onError`. `code` says what happened, and `detail` what it
 * concerns, as a text:
 * - `"input"`: an option or an argument is wrong, a hook has failed and dropped its event, or a member of `params` that
 *   cannot be written was left out. `option`: the option, argument, member or hook
 * - `"paused"`: the service refuses every event (a wrong token or URL, an error in its deployment, with 400 a schema
 *   of `params` that has no stamp); events wait. `status`: the
 *   answer's
 * - `"rejected"`: the service refuses this event and accepts others; it was dropped, and is `event`. `status`: the answer's
 * - `"evicted"`: a bound was reached; this event was dropped: the oldest one, the newest of those that wait for `identify`, or
 *   one that is too large. `bound`: the option whose bound it is, or `"identify"`
 * - `"throttled"`: one name is tracked too often, as in a loop; so many were dropped until now, when it is tracked again. `name` and
 *   `count`
 *
 * `Declared` are the events of the app.
 */
export type Problem<Declared = Events> =
  | Told<"input", string, { option: string; event?: undefined }>
  | Told<"throttled", string, { name: string; count: number; event?: undefined }>
  | Told<"paused", Status, { status: number; event?: undefined }>
  | Told<"rejected", Status, { status: number; event: HookedEvent<Declared> }>
  | Told<"evicted", Bound, { bound: Bound; event: HookedEvent<Declared> }>;

/**
 * Told of every decision: `"queued"`, `"pending"` (it waits for consent) or `"dropped"` of an event, the status of an answer
 * (0: there was none), or the code of a {@link Problem}; `detail` is the event or what it concerns.
 */
export type DebugListener = (code: string | number, detail: string) => void;

/** What the visitor allows: `"pending"` while no choice is known. */
export type Consent = "granted" | "pending" | "denied";

/** Who is named: the contact and the account that `identify` was given, as texts. Empty where nobody is. */
export type Identity = [contactUid?: string, accountUid?: string];

/** Told what the visitor allows, as `consent()` tells it, who is named, as `identity()` does, and an id that each log-out changes. */
export type ChangeListener = (consent: Consent, identity: Identity, resetId: string) => void;

/** What became of events during a `flush`. */
export interface FlushResult {
  /** Events that the service accepted since the call. */
  delivered: number;
  /** Events that still wait in this tab. Calls that wait for `init` are none yet. */
  queued: number;
  /** Events dropped since the call. */
  dropped: number;
}
