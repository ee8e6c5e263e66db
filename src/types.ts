/** The public types. Member names of events are the service's own (snake case), those of options are ours. */

import type { Events, PageParams } from "./types/declared.js";
import type { BeforeSend, ChangeListener, Consent, Problem } from "./types/event.js";
import type { Tracker } from "./types/verbs.js";

export type * from "./types/event.js";
export type * from "./types/verbs.js";

/** Options of a tracker. In a script tag each that is no function is a `data-` attribute: `apiToken` is `data-api-token`. */
export interface Config<Declared = Events> {
  /** Token of the event endpoint, sent as the query parameter `api_token`. */
  apiToken: string;
  /** A token that was corrected or replaced: events that wait under it, and its contact, are taken along. */
  formerToken?: string | undefined;
  /** Address before `/v1/track/event`: absolute, or relative to the page for a first-party proxy. */
  trackUrl: string;
  /** Path of the event endpoint, for a proxy that renames it. Default `"/v1/track/event"`. */
  eventPath?: string | undefined;
  /** Type of bodies. Default `"application/json"`. `"text/plain"` is for a service without CORS: any answer counts as delivery. */
  contentType?: "application/json" | "text/plain" | undefined;
  /** Name of the global and of the storage keys: another name is another tracker. Default `"tracklet"`. */
  name?: string | undefined;
  /** Identifies at once, as {@link Tracker.identify} does; an empty one names nobody. */
  contactUid?: string | number | undefined;
  accountUid?: string | number | null | undefined;
  /**
   * Whose the events are that a document tracks before its own `identify`. `"remembered"` (default): those of whom the last
   * `identify` of the site has named. `"page"`: of whom its own will name, until which they wait in memory: nobody is remembered.
   */
  identity?: "remembered" | "page" | undefined;
  /** Proof of both, as {@link Tracker.identify} takes it. */
  proof?: string | undefined;
  /**
   * Members that every event gets, or a function that is asked for them at each event. The account of `identify` wins over them,
   * and the event's own members over both. A function that throws or gives no object is reported, and the event goes without.
   */
  params?: PageParams | (() => PageParams) | undefined;
  /**
   * Page views: sent as the page navigates (`"auto"`, default), also where only the fragment changes (`"hash"`), or only by
   * `pageview()` (`"off"`).
   */
  pageviews?: "auto" | "hash" | "off" | undefined;
  /**
   * Names of parameters, an array or a text with blanks between, as URLs write them. In the URL of a page view they keep their
   * values, whatever these hold, beside the known ones (of campaigns and clicks, and `page`, `tab`, `sort` and their like); of
   * every other one `REDACTED` takes the value's place. `"all"` keeps every parameter, `"none"` none. Default: the known ones.
   */
  query?: "all" | "none" | (string & {}) | readonly string[] | undefined;
  /** Tells, as `params.referrer`, which other site led to the first page view; `query` and `paths` hold. Default `false`. */
  referrer?: boolean | undefined;
  /**
   * What becomes of the path of a page view's URL, or of a fragment that is one. By default `REDACTED` takes the place of ids.
   * Patterns of whole paths, `"/patient/:name /s/:code"` or an array of them: a path that fits one is stored as that pattern, so what
   * stands at a `:place` goes, whatever it looks like. `"keep"` leaves ids.
   */
  paths?: "keep" | `/${string}` | readonly `/${string}`[] | undefined;
  /**
   * Changes an event before it is stored, or drops it, see {@link BeforeSend}. The URL of a page view is `params.visit_url`, as
   * {@link Config.query} and {@link Config.paths} leave it.
   */
  beforeSend?: BeforeSend<Declared> | undefined;
  /**
   * What the visitor allows while no choice of `optIn()` or `optOut()` is stored. `"granted"` (default); `"pending"`: events
   * wait in memory; `"denied"`: nothing is stored or sent, whatever was chosen. Anything else counts as `"pending"`.
   */
  consent?: Consent | undefined;
  /** Takes the browser's Global Privacy Control for `consent: "denied"`. Default `false`. */
  respectGpc?: boolean | undefined;
  /**
   * Most events that wait for delivery. Default 1,000. Of one name as many may be tracked at once, then one a second; while fewer
   * than a tenth of the places (100 at most) are free, only names that are tracked seldom.
   */
  maxEvents?: number | undefined;
  /** Most bytes in UTF-8 that wait for delivery. Default 1,048,576. */
  maxBytes?: number | undefined;
  /** Longest time that an event waits for delivery, in milliseconds. Default 604,800,000 (7 days); 30 days at most. */
  maxAgeMs?: number | undefined;
  /**
   * Adds `params.event_id`, `occurred_at`, `event_source` and `event_seq` behind `beforeSend`, to drop repeats and to count losses;
   * an event that has one of them already stays as it is. Default `true`. With `false` the names are free: see {@link Settings}.
   */
  stamp?: boolean | undefined;
  /** Records and sends nothing in this document, and leaves what is stored alone, as for staff. Default `false`. */
  mute?: boolean | undefined;
  /** Told what the visitor allows and who is named, as by {@link Tracker.onChange}. It may throw; that harms nothing. */
  onChange?: ChangeListener | undefined;
  /** Told of every problem, but for those that it causes itself. It may throw; that harms nothing. */
  onError?: ((problem: Problem<Declared>) => void) | undefined;
  /** Writes every decision to the console. Default `false`. */
  debug?: boolean | undefined;
}

/** A call as data: `["track", "signup", {…}]`, `["init", {…}]`. */
export type Command = [verb: string, ...args: unknown[]];

/** What the global holds: the verbs, `init`, and the form for calls that may come before the script. */
export interface Hub extends Tracker {
  /** Configures the tracker of this name. The first configuration holds. */
  init(config: Config): void;
  /** Runs calls in their order; those before `init` wait for it. */
  push(...commands: Command[]): void;
}
