/** What a tracker has in the storage, read as what anybody may have written. */
import { EVENT, readRow, timeOf } from "../../browser/delivery/row.js";
import { IDENTITY } from "../../browser/state/identity.js";
import { CONSENT, MUTE } from "../../browser/state/storage.js";
import { attempt } from "../../shared/attempt.js";
import { scopeOf } from "../../shared/option-values.js";

/** The options that say under which letters rows are filed. */
export type Tokens = { readonly apiToken?: unknown; readonly formerToken?: unknown } | undefined;

/** The keys of a tracker's rows: those of its events begin with one of `events`, and the first of `identities` holds. */
export const keysOf = (name: string, tokens: Tokens = {}) => {
  const filed = (kind: string): string[] =>
    [tokens.apiToken, tokens.formerToken].map((token) => `${name}:${scopeOf(token)}:${kind}`);
  return {
    events: filed(EVENT),
    identities: filed(IDENTITY),
    backOff: filed("backoff")[0]!,
    consent: `${name}:${CONSENT}`,
    mute: `${name}:${MUTE}`,
  };
};

/** Milliseconds until the next attempt; 0 where one is due or under way. `back-off.ts` of the delivery writes the row. */
const readPause = (row: string): number => {
  const [setAt = 0, delay = 0] = row.split(",").map(Number);
  const left = setAt + delay - Date.now();
  return !row.endsWith("probe") && left > 0 && left <= delay ? left : 0;
};

export type SentEvent = { event: string; contact: string; visitUrl: string; params: Record<string, unknown> };

/** How often it has failed, whether its request was open when its page was left, and since when this page could send it. */
type WaitingEvent = SentEvent & { failures: number; isUndecided: boolean; waitedMs: number };

export type Stored = typeof NOTHING;

/** Of more events than this the inspector knows only how many they are. */
export const SHOWN = 100;

/** What is known of a page without a storage: everything is in memory. */
const NOTHING = {
  isThere: false,
  contact: "",
  account: "",
  /** Is there a row of who is named? After `reset` there is, with nobody in it. */
  hasIdentity: false,
  consent: "",
  /** Events that wait, in the order of their keys: the first {@link SHOWN}; and all of them. */
  events: [] as WaitingEvent[],
  eventCount: 0,
  /** Milliseconds that the oldest event to be sent has waited on this page, and until the next attempt; 0 where there is none. */
  readyMs: 0,
  pauseMs: 0,
  /** When the failure was, and until when the visits of this browser are left out, in epoch milliseconds; else 0. */
  failedAt: 0,
  mutedUntil: 0,
};

const text = (value: unknown): string => (typeof value === "string" ? value : "");

/** @param body its JSON, or what that says */
export const readEvent = (body: unknown): SentEvent | undefined => {
  const event = (typeof body === "string" ? attempt(() => JSON.parse(body)) : body) as Record<string, unknown> | null;
  if (typeof event?.event_uid !== "string") return undefined;
  const params = Object(event.params) as Record<string, unknown>;
  return { event: event.event_uid, contact: text(event.contact_uid), visitUrl: text(params.visit_url), params };
};

/** The keys of the events that are stored, in order. By their index: listing them as properties takes longer. */
const eventKeys = (prefixes: readonly string[]): string[] => {
  const keys = Array.from({ length: localStorage.length }, (_, index) => localStorage.key(index) ?? "");
  return keys.filter((key) => prefixes.some((prefix) => key.startsWith(prefix))).sort();
};

/** What has waited since before this page could not leave earlier. */
const waitedMs = (key: string): number => Math.max(1, Math.min(Date.now() - timeOf(key), performance.now())) || 1;

/** @param tokens without them, all but the choice and the mute stays unknown */
export const readStored = (name: string, tokens?: Tokens): Stored =>
  attempt(() => {
    const get = (key: string) => localStorage.getItem(key) ?? "";
    const keys = keysOf(name, tokens);
    const stored = eventKeys(keys.events);
    const identity = keys.identities.map(get).find(Boolean) ?? "";
    // The row is `<reset id>\0<contact>\0<account>`.
    const [, contact = "", account = ""] = identity.split("\0");
    const events = stored.slice(0, SHOWN).flatMap((key): WaitingEvent[] => {
      const { body, failures, lease } = readRow(key, get(key));
      const event = readEvent(body);
      return event ? [{ ...event, failures, isUndecided: lease < 0, waitedMs: waitedMs(key) }] : [];
    });
    // What is undecided waits for nothing that this page does.
    const ready = events.filter((event) => (event.contact || contact) && !event.isUndecided);
    const backOff = get(keys.backOff);
    const mutedUntil = Number(get(keys.mute));
    return {
      isThere: true,
      contact,
      account,
      hasIdentity: identity !== "",
      consent: get(keys.consent),
      events,
      eventCount: stored.length,
      readyMs: Math.max(0, ...ready.map(({ waitedMs }) => waitedMs)),
      pauseMs: readPause(backOff),
      failedAt: Number(backOff.split(",")[0]),
      mutedUntil: mutedUntil > Date.now() ? mutedUntil : 0,
    };
  }) ?? NOTHING;
