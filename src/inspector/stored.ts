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
  /** Milliseconds that the oldest event with a contact has waited on this page; 0 where there is none. */
  readyMs: number;
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
const pauseOf = (row: string): number => {
  const [setAt = 0, delay = 0] = (row.match(/-?\d+(\.\d+)?/g) ?? []).map(Number);
  const left = setAt + delay - Date.now();
  return left > 0 && left <= delay ? left : 0;
};

/** A key is `event:<tab>:<number>:<time>:…`. What has waited since before this page could not leave earlier. */
const waitedMs = (key: string): number => {
  const time = Number(key.split(":")[3]);
  return Math.max(1, Math.min(Date.now() - time, performance.now())) || 1;
};

export const readStored = (name: string): Stored => {
  const nothing = { contact: "", account: "", consent: "", events: [], eventCount: 0, readyMs: 0, pauseMs: 0 };
  const prefix = `${name}:`;
  try {
    const get = (key: string) => localStorage.getItem(prefix + key) ?? "";
    const keys = Object.keys(localStorage)
      .filter((key) => key.startsWith(`${prefix}event:`))
      .map((key) => key.slice(prefix.length))
      .sort();
    const [, contact, account] = get("identity").split("\0");
    const waiting = keys.slice(0, SHOWN).flatMap((key) => {
      const event = readEvent(get(key));
      return event ? { key, event } : [];
    });
    return {
      isThere: true,
      contact: text(contact),
      account: text(account),
      consent: get("consent"),
      events: waiting.map(({ event }) => event),
      eventCount: keys.length,
      readyMs: Math.max(0, ...waiting.filter(({ event }) => event.contact || contact).map(({ key }) => waitedMs(key))),
      pauseMs: pauseOf(get("backoff")),
    };
  } catch {
    return { isThere: false, ...nothing };
  }
};
