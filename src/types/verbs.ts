/** The verbs of a tracker. */
import type { EventName, Events, PageParams, ParamsObject, TrackArguments } from "./declared.js";
import type { ChangeListener, Consent, DebugListener, FlushResult, Identity } from "./event.js";

/** What else `identify` is told. */
export interface Identifying {
  /**
   * What the site's server has signed for this contact and account, with `proveIdentity` of `tracklet/send`. It travels as
   * `params.identity_proof`. A new one of the same contact and account also takes the place of the last one in events that wait
   * in this document.
   */
  proof?: string | undefined;
}

/** The verbs. None of them ever throws or rejects. `Declared` are the events that may be tracked. */
export interface Tracker<Declared = Events> {
  /**
   * Remembers, across pages, whom the following events belong to. Replaces contact and account together. It holds for this
   * document; documents that have named nobody use the last one of the site.
   *
   * @param contactUid unique id of the contact: a text that is not blank, or a safe integer, which travels as text
   * @param accountUid unique id of the account, sent as `params.account_uid`; `null` is none
   */
  identify<Uid extends string | number>(
    contactUid: Uid extends "" ? never : Uid,
    accountUid?: string | number | null,
    options?: Identifying,
  ): void;
  /**
   * Queues an event durably and returns at once; it is sent after the next frame.
   *
   * @param eventUid name of the action, a text that is not blank
   * @param params free parameters; `account_uid` here wins over that of `identify`
   */
  track<Name extends EventName<Declared>, Given extends ParamsObject = ParamsObject>(
    eventUid: Name,
    ...params: TrackArguments<Declared, Name, Given>
  ): void;
  /** Queues a page view of the current URL; `params` add to it or override `visit_url`. */
  pageview(params?: PageParams): void;
  /**
   * Sends what waits; resolves at the latest after `timeoutMs` (default 5,000 ms), and sooner where nothing more can be done in
   * that time, as on a hidden page. After an outage it waits for the next attempt, where that comes within it.
   */
  flush(options?: { timeoutMs?: number | undefined }): Promise<FlushResult>;
  /** Forgets the contact in all tabs (a log-out), and drops events without one: so far, and until somebody is identified again. */
  reset(): void;
  /**
   * Who is named here: the contact and the account that `identify` was given, on this page or an earlier one, as texts. The
   * account is empty where there is none, and the list where nobody is named, as before `init` and on a server.
   */
  identity(): Identity;
  /** What the visitor allows now, also on a prerendered page. `"pending"`, while which a banner asks, before `init` and on a server. */
  consent(): Consent;
  /** The visitor agrees: what waited for it is stored and sent. Remembered for all pages and tabs. */
  optIn(): void;
  /** The visitor refuses: what waits is forgotten, and everything stored is removed but this choice, in all tabs. */
  optOut(): void;
  /**
   * Calls a listener at once, and after each change of consent or identity and each log-out, in whichever tab.
   *
   * @returns ends that
   */
  onChange(listener: ChangeListener): () => void;
  /** Lets a listener hear of every decision from now on. */
  debug(listener: DebugListener): void;
}
