/* What the benchmarks run in a page, as functions that need nothing of this file. */

export interface Run {
  /**
   * Who handles an event. `"stored"` is JSON.stringify and setItem; `"sent"` is the same with a keepalive fetch, its answer
   * read, and removeItem; `"nobody"` shows what the pace alone costs, which is taken off the others.
   */
  by: "tracklet" | "stored" | "sent" | "nobody";
  events: number;
  /** Milliseconds between two events. */
  paceMs: number;
  url: string;
  uid: string;
  params: object;
  event: object;
  /** Whether to wait at the end until no event is stored any more. */
  untilSent?: boolean;
}

/** Handles events one a task, at a pace. */
export const spend = async ({ by, events, paceMs, url, uid, params, event, untilSent }: Run): Promise<void> => {
  const { tracklet } = window;
  const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
  const store = (key: string): string => {
    const body = JSON.stringify(event);
    localStorage.setItem(key, body);
    return body;
  };
  const send = async (key: string): Promise<void> => {
    const headers = { "Content-Type": "application/json" };
    const response = await fetch(url, { method: "POST", headers, body: store(key), keepalive: true });
    await response.text();
    localStorage.removeItem(key);
  };
  const handle = {
    tracklet: () => tracklet.track(uid, params),
    stored: (key: string) => void store(key),
    sent: (key: string) => void send(key),
    nobody: () => {},
  }[by];
  for (let i = 0; i < events; i++) {
    const key = `bare:event:0.8444218515250481-1790000000000:${1_000_000 + i}:1790000000000`;
    handle(key);
    await pause(paceMs);
  }
  while (untilSent && Object.keys(localStorage).some((key) => /:event\d*:/.test(key))) await pause(50);
};

export interface Clicks extends Pick<Run, "paceMs" | "url" | "uid" | "params" | "event"> {
  /** As of a {@link Run}: `"bare"` stores five events, sends them in one request, and removes them. */
  by: "tracklet" | "bare" | "nobody";
  count: number;
}

/** Handles five events a task, at a pace, and waits until none is stored any more. */
export const clicks = async ({ by, count, paceMs, url, uid, params, event }: Clicks): Promise<void> => {
  const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
  const five = [0, 1, 2, 3, 4];
  const sendBare = async (click: number): Promise<void> => {
    const keys = five.map((index) => `bare:event:0.8444218515250481-1790000000000:${click}${index}:1790000000000`);
    const bodies = keys.map((key) => {
      const body = JSON.stringify(event);
      localStorage.setItem(key, body);
      return body;
    });
    const headers = { "Content-Type": "application/json" };
    const address = url.replace("?", "s?");
    const response = await fetch(address, { method: "POST", headers, body: `[${bodies}]`, keepalive: true });
    await response.text();
    for (const key of keys) localStorage.removeItem(key);
  };
  for (let click = 0; click < count; click++) {
    if (by === "tracklet") for (const _ of five) window.tracklet.track(uid, params);
    else if (by === "bare") void sendBare(1_000_000 + click);
    await pause(paceMs);
  }
  while (Object.keys(localStorage).some((key) => /:event\d*:/.test(key))) await pause(50);
};

/** Tracks events in one task. */
export const trackMany = ({ count, uid, params }: { count: number; uid: string; params: object }): void => {
  for (let i = 0; i < count; i++) window.tracklet.track(uid, params);
};
