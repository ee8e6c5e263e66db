/**
 * The queue: in memory what this page sends, in storage one key an event, so that appending costs the same at one or at a
 * thousand events, and two tabs never rewrite each other's rows.
 */
import type { Bounds } from "./config.js";
import { bytesOf, epochOf, HANDED_OFF, timeOf } from "./row.js";
import type { Store } from "./storage.js";
import type { Problem } from "./types.js";

/** Of events that still lack their contact: they may never be sent, so they are few, and go within a day. */
const UNADDRESSED_COUNT = 100;
const UNADDRESSED_AGE_MS = 86_400_000;

export const createQueue = (
  store: Store,
  [maxEvents, maxBytes, maxAge]: Bounds,
  now: () => number,
  report: (code: Problem["code"], detail: string, body?: string) => void,
) => {
  /** Bodies by key, in the order of sending. */
  const rows = new Map<string, string>();
  const tally = { delivered: 0, dropped: 0 };
  let bytes = 0;
  let unaddressed = 0;
  /** Whether a drop of an event without its contact was reported. */
  let wasTold = false;
  // Seven digits from the start, so that keys sort as text.
  let sequence = 1_000_000;

  const put = (key: string, body: string): void => {
    rows.set(key, body);
    store.set(key, body);
  };
  const remove = (key: string): void => {
    bytes -= bytesOf(rows.get(key) ?? "");
    if (rows.delete(key) && epochOf(key)) unaddressed--;
    store.remove(key);
  };
  const drop = (key: string, code: "evicted" | "rejected", detail: string): void => {
    // Nobody may ever be identified: once is enough.
    if (!epochOf(key) || !wasTold) report(code, detail, rows.get(key)!.replace(HANDED_OFF, ""));
    wasTold ||= !!epochOf(key);
    remove(key);
    tally.dropped++;
  };
  const isCrowded = (): boolean => unaddressed > UNADDRESSED_COUNT;
  const isFull = (): boolean => rows.size - unaddressed > maxEvents || bytes > maxBytes;
  /** Drops the oldest events while they are too many or too old. */
  const trim = (): void => {
    for (const key of rows.keys()) {
      const epoch = epochOf(key);
      if (now() - timeOf(key) > (epoch ? UNADDRESSED_AGE_MS : maxAge)) drop(key, "evicted", "maxAgeMs");
      else if (epoch ? isCrowded() : isFull()) drop(key, "evicted", "maxEvents, maxBytes");
      else if (!isCrowded() && !isFull()) break;
    }
  };
  const append = (tab: string, body: string, epoch: string, time = now()): void => {
    put(`event:${tab}:${sequence++}:${time}:${epoch}`, body);
    bytes += bytesOf(body);
    if (epoch) unaddressed++;
    if (isCrowded() || isFull()) trim();
  };

  return {
    rows,
    tally,
    put,
    remove,
    drop,
    trim,

    /** Makes an event durable before it returns. */
    append,

    /** The service has it. */
    deliver: (key: string): void => {
      remove(key);
      tally.delivered++;
    },

    /** Puts an event behind the others. */
    postpone: (key: string): void => {
      const body = rows.get(key)!;
      rows.delete(key);
      rows.set(key, body);
    },

    /** Takes over what a dead tab has queued, in front of what is here. What is no event is removed. */
    take: (from: string, to: string): void => {
      const own = [...rows];
      rows.clear();
      for (const key of store.keys()) {
        const [kind, tab] = key.split(":");
        if (kind !== "event" || tab !== from) continue;
        try {
          const body = store.get(key)!;
          // Before it is written again: the storage may be full.
          store.remove(key);
          JSON.parse(body.replace(HANDED_OFF, "")).params.constructor;
          append(to, body, epochOf(key), timeOf(key));
        } catch {
          // Not written by us, or cut short.
          tally.dropped++;
        }
      }
      for (const [key, body] of own) rows.set(key, body);
    },

    /** Notes of those events whose request outlives the page that the service most likely has them. */
    handOff: (isKept: (key: string) => boolean): void => {
      for (const [key, text] of rows) if (isKept(key) && text[0] !== HANDED_OFF) put(key, HANDED_OFF + text);
    },

    /** Leaves everything to the storage: another tab may take it over. */
    release: (): void => {
      rows.clear();
      bytes = unaddressed = 0;
    },
  };
};

export type Queue = ReturnType<typeof createQueue>;
