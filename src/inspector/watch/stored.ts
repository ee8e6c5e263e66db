/** What a tracker has in the storage, read as what anybody may have written. */

import { readRow, timeOf } from "../../browser/delivery/row.js";
import { attempt } from "../../shared/attempt.js";
import { keysOf, readPause, type Tokens } from "./keys.js";

/** What of an event is shown. */
export interface SentEvent {
  event: string;
  contact: string;
  visitUrl: string;
}

export interface WaitingEvent extends SentEvent {
  /** How often it has failed. */
  failures: number;
  /** Was its request open when its page was left? The service most likely has it. */
  isUndecided: boolean;
}

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
  /** Milliseconds that the oldest event to be sent has waited on this page; 0 where there is none. */
  readyMs: 0,
  /** Milliseconds until the next attempt; 0 where there is no pause. */
  pauseMs: 0,
  /** Until when the visits of this browser are left out, in epoch milliseconds; 0 where they are not. */
  mutedUntil: 0,
};

const text = (value: unknown): string => (typeof value === "string" ? value : "");

export const readEvent = (body: string): SentEvent | undefined => {
  const event = attempt(() => JSON.parse(body)) as Record<string, unknown> | null;
  if (typeof event?.event_uid !== "string") return undefined;
  const params = event.params as Record<string, unknown> | null | undefined;
  return { event: event.event_uid, contact: text(event.contact_uid), visitUrl: text(params?.visit_url) };
};

/** The keys of the events that are stored, in order. By their index: listing them as properties takes longer. */
const eventKeys = (prefixes: readonly string[]): string[] => {
  const keys = Array.from({ length: localStorage.length }, (_, index) => localStorage.key(index) ?? "");
  return keys.filter((key) => prefixes.some((prefix) => key.startsWith(prefix))).sort();
};

const readWaiting = (key: string, row: string): WaitingEvent | undefined => {
  const { body, failures, lease } = readRow(key, row);
  const event = readEvent(body);
  return event && { ...event, failures, isUndecided: lease < 0 };
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
    const waiting = stored.slice(0, SHOWN).map((key) => ({ key, event: readWaiting(key, get(key)) }));
    // What is undecided waits for nothing that this page does.
    const ready = waiting.filter(({ event }) => event && (event.contact || contact) && !event.isUndecided);
    return {
      isThere: true,
      contact,
      account,
      hasIdentity: identity !== "",
      consent: get(keys.consent),
      events: waiting.flatMap(({ event }) => event ?? []),
      eventCount: stored.length,
      readyMs: Math.max(0, ...ready.map(({ key }) => waitedMs(key))),
      pauseMs: readPause(get(keys.backOff)),
      mutedUntil: Number(get(keys.mute)) > Date.now() ? Number(get(keys.mute)) : 0,
    };
  }) ?? NOTHING;
