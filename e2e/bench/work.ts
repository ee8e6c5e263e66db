import type { CDPSession, Page } from "playwright";
import { EVENT, EVENT_UID, PARAMS } from "./event.js";
import { repeat } from "./rounds.js";
import type { Stage } from "./stage.js";
import type { Pair } from "./statistics.js";
import type { Comparison } from "./table.js";

const SECONDS = 35;
const EVENTS = 200;
/** Milliseconds between two events: less than a request takes now and then, so that some are in flight together. */
const PACE_MS = 8;
const PARALLEL = 4;

interface Run {
  /** Who handles an event; `"nobody"` shows what the pace alone costs, which is taken off the others. */
  by: "ours" | "bare" | "nobody";
  events: number;
  paceMs: number;
  parallel: number;
  url: string;
  uid: string;
  params: object;
  event: object;
}

/** Runs in the page: events at a pace, until none is stored any more. */
const spend = async ({ by, events, paceMs, parallel, url, uid, params, event }: Run): Promise<void> => {
  const { tracklet } = window;
  const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
  const headers = { "Content-Type": "application/json" };
  const waiting: [key: string, body: string][] = [];
  let inFlight = 0;
  const send = async (key: string, body: string) => {
    inFlight++;
    const response = await fetch(url, { method: "POST", headers, body, keepalive: true });
    await response.text();
    localStorage.removeItem(key);
    inFlight--;
    const next = waiting.shift();
    if (next) send(...next);
  };
  const handle = {
    ours: () => tracklet.track(uid, params),
    bare: (i: number) => {
      const key = `bare:event:abcdefghij:${1_000_000 + i}:1700000000000:`;
      const body = JSON.stringify(event);
      localStorage.setItem(key, body);
      if (inFlight < parallel) send(key, body);
      else waiting.push([key, body]);
    },
    nobody: () => {},
  }[by];
  for (let i = 0; i < events; i++) {
    handle(i);
    await pause(paceMs);
  }
  while (Object.keys(localStorage).some((key) => key.includes(":event:"))) await pause(50);
};

/** Milliseconds that the renderer's main thread has run tasks so far, not counting when it was interrupted. */
const taskTime = async (session: CDPSession): Promise<number> => {
  const { metrics } = await session.send("Performance.getMetrics");
  return metrics.find(({ name }) => name === "TaskDuration")!.value * 1_000;
};

const measure = async (stage: Stage, by: Run["by"]): Promise<number> => {
  const use = async (page: Page): Promise<number> => {
    const run = {
      by,
      paceMs: PACE_MS,
      parallel: PARALLEL,
      url: `${stage.service.url}/v1/track/event?api_token=${stage.token}`,
      uid: EVENT_UID,
      params: PARAMS,
      event: EVENT,
    };
    const session = await page.context().newCDPSession(page);
    await session.send("Performance.enable", { timeDomain: "threadTicks" });
    await page.evaluate(spend, { ...run, events: EVENTS / 4 });
    const before = await taskTime(session);
    await page.evaluate(spend, { ...run, events: EVENTS });
    return (await taskTime(session)) - before;
  };
  return by === "ours" ? stage.visitTracked(stage.tag(stage.service.url), use) : stage.visitBare(use);
};

/** The main thread's whole time for an event against `setItem`, `fetch` with its answer read, and `removeItem`. */
export const benchWork = async (stage: Stage): Promise<Comparison[]> => {
  const pairs: Pair[] = [];
  await repeat(SECONDS, async () => {
    const pace = await measure(stage, "nobody");
    const [ours, bare] = [await measure(stage, "ours"), await measure(stage, "bare")];
    pairs.push({ ours: ((ours - pace) / EVENTS) * 1_000, bare: ((bare - pace) / EVENTS) * 1_000 });
  });
  return [{ what: "main thread, whole work of an event", unit: "µs", rounds: pairs, target: 1.15 }];
};
