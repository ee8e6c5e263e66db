/** What a tracker has in the storage, read as what anybody may have written. */

export interface WaitingEvent {
  event: string;
  contact: string;
  visitUrl: string;
}

export interface Stored {
  /** `false`: the page has no storage, and everything is in memory. */
  isThere: boolean;
  contact: string;
  account: string;
  consent: string;
  /** Events that wait, in the order of their keys; at most {@link SHOWN} of them are read. */
  events: WaitingEvent[];
  eventCount: number;
  /** Milliseconds until the next attempt; 0 where there is no pause. */
  pauseMs: number;
}

/** More than a panel can show. */
const SHOWN = 50;

const text = (value: unknown): string => (typeof value === "string" ? value : "");

const parse = (json: string | null): unknown => {
  try {
    return JSON.parse(json ?? "null");
  } catch {
    return null;
  }
};

/** The event in a body; a mark may stand in front of it. */
export const readEvent = (body: string): WaitingEvent | undefined => {
  const event = parse(body.slice(Math.max(0, body.indexOf("{")))) as Record<string, unknown> | null;
  if (typeof event?.event_uid !== "string") return undefined;
  const params = event.params as Record<string, unknown> | null | undefined;
  return { event: event.event_uid, contact: text(event.contact_uid), visitUrl: text(params?.visit_url) };
};

/** A stored time is when it was set, and how long it holds, both in milliseconds. */
const pauseOf = (row: string | null): number => {
  const [setAt = 0, delay = 0] = (row?.match(/-?\d+(\.\d+)?/g) ?? []).map(Number);
  const left = setAt + delay - Date.now();
  return left > 0 && left <= delay ? left : 0;
};

export const readStored = (name: string): Stored => {
  const nothing = { contact: "", account: "", consent: "", events: [], eventCount: 0, pauseMs: 0 };
  try {
    const get = (key: string) => localStorage.getItem(`${name}:${key}`);
    const keys = Object.keys(localStorage)
      .filter((key) => key.startsWith(`${name}:event:`))
      .sort();
    const [, contact, account] = (get("identity") ?? "").split("\0");
    return {
      isThere: true,
      contact: text(contact),
      account: text(account),
      consent: get("consent") ?? "",
      events: keys
        .slice(0, SHOWN)
        .map((key) => readEvent(localStorage.getItem(key) ?? ""))
        .filter((event) => event !== undefined),
      eventCount: keys.length,
      pauseMs: pauseOf(get("backoff")),
    };
  } catch {
    return { isThere: false, ...nothing };
  }
};
