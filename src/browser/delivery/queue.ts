/**
 * The queue: in memory what this page sends, in storage one key an event, so that appending costs the same at one or at a
 * thousand events. A key never changes, whoever sends the event.
 */

import type { Problem } from "../../types.js";
import type { Bounds } from "../config.js";
import type { Store } from "../state/storage.js";
import { bytesOf, epochOf, HANDED_OFF, tabOf, timeOf } from "./event-key.js";

/** Of events that still lack their contact: they may never be sent, so they are few, and go within a day. */
const UNADDRESSED_COUNT = 100;
const UNADDRESSED_AGE_MS = 86_400_000;

export const createQueue = (
  store: Store,
  [maxEvents, maxBytes, maxAge]: Bounds,
  report: (code: Problem["code"], detail: string, body?: string) => void,
) => {
  /** Bodies by key, in the order of sending. */
  const rows = new Map<string, string>();
  /** Those of them that the service most likely has. */
  const handedOff = new Set<string>();
  const tally = { delivered: 0, dropped: 0 };
  /** Of events that have their contact. */
  let bytes = 0;
  let unaddressed = 0;
  /** Whether a drop of an event without its contact was reported. */
  let wasTold = false;
  // Seven digits from the start, so that keys sort as text.
  let sequence = 1_000_000;

  const hold = (key: string, body: string): void => {
    rows.set(key, body);
    if (epochOf(key)) unaddressed++;
    else bytes += bytesOf(body);
  };
  /** Leaves an event to the storage. */
  const release = (key: string): void => {
    const body = rows.get(key) ?? "";
    handedOff.delete(key);
    if (rows.delete(key))
      if (epochOf(key)) unaddressed--;
      else bytes -= bytesOf(body);
  };
  const remove = (key: string): void => {
    release(key);
    store.remove(key);
  };
  const drop = (key: string, code: "evicted" | "rejected", detail: string): void => {
    const body = rows.get(key);
    // Nobody may ever be identified: once is enough. Reported at the end, because a report may be tracked.
    const isKnown = !!epochOf(key) && wasTold;
    wasTold ||= !!epochOf(key);
    remove(key);
    tally.dropped++;
    if (!isKnown) report(code, detail, body);
  };
  /** Drops the oldest events while they are too many or too old. */
  const trim = (): void => {
    for (const key of rows.keys()) {
      const epoch = epochOf(key);
      const isCrowded = unaddressed > UNADDRESSED_COUNT;
      const isFull = rows.size - unaddressed > maxEvents || bytes > maxBytes;
      const isOld = Date.now() - timeOf(key) > (epoch ? UNADDRESSED_AGE_MS : maxAge);
      if (isOld || (epoch ? isCrowded : isFull))
        drop(key, "evicted", epoch ? "identify" : isOld ? "maxAgeMs" : "maxEvents, maxBytes");
      else if (!isCrowded && !isFull) break;
    }
  };
  /** The service has it. */
  const deliver = (key: string): void => {
    remove(key);
    tally.delivered++;
  };
  /** Puts an event behind the others. */
  const postpone = (key: string): void => {
    const body = rows.get(key)!;
    rows.delete(key);
    rows.set(key, body);
  };

  return {
    rows,
    handedOff,
    tally,
    remove,
    drop,
    trim,
    deliver,
    postpone,

    /** Makes an event of `tab` durable before it returns. */
    append: (tab: string, body: string, epoch: string): void => {
      const key = `event:${tab}:${sequence++}:${Date.now()}:${epoch}`;
      hold(key, body);
      store.set(key, body);
      // Larger than all that may wait, it goes alone, and not the others first.
      if (bytesOf(body) > maxBytes) drop(key, "evicted", "maxEvents, maxBytes");
      trim();
    },

    /** Leaves the events of one tab, or of all, to whoever claims them. */
    release: (tab?: string): void => {
      for (const key of rows.keys()) if (!tab || tab === tabOf(key)) release(key);
    },

    /** Takes over what a dead tab has queued, in front of what is here. What others have written, or was cut short, goes. */
    load: (tab: string): void => {
      const own = [...rows.keys()];
      for (const key of store.keys())
        if (/^event:/.test(key) && tabOf(key) === tab)
          try {
            const text = store.get(key)!;
            const body = text.replace(HANDED_OFF, "");
            JSON.parse(body).params.constructor;
            hold(key, body);
            if (text !== body) handedOff.add(key);
          } catch {
            store.remove(key);
            tally.dropped++;
          }
      own.forEach(postpone);
    },

    /**
     * The page is left: stores again what it has emptied out of the storage, as many do when somebody logs out. With
     * `handsOff`, notes of events whose request outlives the page, by its `keptBytes`, that the service most likely has them.
     */
    leave: (handsOff: boolean, keptBytes: Map<string, number>): void => {
      for (const [key, body] of rows) {
        if (handsOff && keptBytes.get(key)) handedOff.add(key);
        const text = handedOff.has(key) ? HANDED_OFF + body : body;
        if (store.get(key) !== text) store.set(key, text);
      }
    },

    /** Gives up what is no longer stored: others may have adopted and sent it. */
    forgo: (): void => {
      for (const key of rows.keys()) if (store.get(key) === null) release(key);
    },

    /** The service may lack what was handed off to it. */
    retract: (): void => {
      for (const key of handedOff) if (handedOff.delete(key)) store.set(key, rows.get(key)!);
    },
  };
};

export type Queue = ReturnType<typeof createQueue>;
