import type { Page } from "playwright";
import { type Comparison, type Pair, repeat } from "./figures.js";
import { type Stage, workOf } from "./stage.js";

/* What runs in a page: functions that need nothing of this file. */

interface Run {
  /**
   * Who handles an event. `"bare"` is JSON.stringify, setItem, a keepalive fetch, its answer read, and removeItem; `"nobody"`
   * shows what the pace alone costs, which is taken off the others.
   */
  by: "tracklet" | "bare" | "nobody";
  events: number;
  /** Milliseconds between two events. */
  paceMs: number;
  url: string;
  uid: string;
  params: object;
  event: object;
}

/** Handles events one a task, at a pace, until none is stored any more. */
const spend = async ({ by, events, paceMs, url, uid, params, event }: Run): Promise<void> => {
  const { tracklet } = window;
  const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
  const send = async (key: string): Promise<void> => {
    const body = JSON.stringify(event);
    localStorage.setItem(key, body);
    const headers = { "Content-Type": "application/json" };
    const response = await fetch(url, { method: "POST", headers, body, keepalive: true });
    await response.text();
    localStorage.removeItem(key);
  };
  const handle = {
    tracklet: () => tracklet.track(uid, params),
    bare: (key: string) => void send(key),
    nobody: () => {},
  }[by];
  for (let i = 0; i < events; i++) {
    const key = `bare:event:0.8444218515250481-1790000000000:${1_000_000 + i}:1790000000000`;
    handle(key);
    await pause(paceMs);
  }
  while (Object.keys(localStorage).some((key) => /:event\d*:/.test(key))) await pause(50);
};

const EVENTS = 200;
/** Milliseconds between two events: less than a request takes now and then, so that some are in flight together. */
const PACE_MS = 8;
const SECONDS = 35;

/** The work of events of a page whose service is well. Milliseconds in all. */
const paced = (stage: Stage, by: Run["by"]): Promise<number> => {
  const use = async (page: Page): Promise<number> => {
    const run = { by, paceMs: PACE_MS, ...stage.event };
    const work = await workOf(page);
    await page.evaluate(spend, { ...run, events: EVENTS / 4 });
    return work(() => page.evaluate(spend, { ...run, events: EVENTS }));
  };
  return by === "tracklet" ? stage.visitTracked(stage.service.url, use) : stage.visitBare(use);
};

/** The main thread's whole time for an event against bare calls. */
export const benchWork = async (stage: Stage): Promise<Comparison[]> => {
  const rounds: Pair[] = [];
  await repeat(SECONDS, async () => {
    const pace = await paced(stage, "nobody");
    const [ours, bare] = [await paced(stage, "tracklet"), await paced(stage, "bare")];
    rounds.push({ ours: ((ours - pace) / EVENTS) * 1_000, bare: ((bare - pace) / EVENTS) * 1_000 });
  });
  return [{ what: "main thread, whole work of an event", unit: "µs", rounds, target: 1.15 }];
};
