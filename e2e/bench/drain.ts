import type { Page } from "playwright";
import { waitFor } from "../../test/support/wait.js";
import { EVENT, EVENT_UID, PARAMS } from "./event.js";
import { repeat } from "./rounds.js";
import type { Stage } from "./stage.js";
import type { Pair } from "./statistics.js";
import type { Comparison } from "./table.js";

const SECONDS = 30;
const EVENTS = 1_000;
/** As many requests as the tracker has in flight. */
const PARALLEL = 4;

/**
 * Runs in the page, before the requests begin: resolves to the milliseconds from the first of `count` accepted requests
 * being begun to the last of their answers.
 */
const watchAnswers = (count: number): void => {
  let first = Infinity;
  let last = 0;
  let left = count;
  window.drained = new Promise((resolve) => {
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as PerformanceResourceTiming[]) {
        const { initiatorType, responseStatus, startTime, responseEnd } = entry;
        if (initiatorType !== "fetch" || responseStatus !== 200) continue;
        first = Math.min(first, startTime);
        last = Math.max(last, responseEnd);
        if (--left === 0) resolve(last - first);
      }
    }).observe({ type: "resource" });
  });
};

const drained = (page: Page): Promise<number> => page.evaluate(() => window.drained);

/** Events queued during an outage, from the first request that the service accepts. */
const drainOurs = ({ visitTracked, tag, gate }: Stage): Promise<number> =>
  visitTracked(tag(gate.url), async (page) => {
    await page.evaluate(watchAnswers, EVENTS);
    const before = gate.broken();
    gate.shut();
    await page.evaluate(
      ({ uid, params, count }) => {
        const { tracklet } = window;
        for (let i = 0; i < count; i++) tracklet.track(uid, params);
      },
      { uid: EVENT_UID, params: PARAMS, count: EVENTS },
    );
    await waitFor(() => gate.broken() > before, { what: "the first request to fail" });
    gate.open();
    return drained(page);
  });

const drainBare = (stage: Stage): Promise<number> =>
  stage.visitBare(async (page) => {
    await page.evaluate(watchAnswers, EVENTS);
    await page.evaluate(
      async ({ url, event, count, parallel }) => {
        const headers = { "Content-Type": "application/json" };
        const body = JSON.stringify(event);
        let left = count;
        const sendNext = async () => {
          while (left-- > 0) {
            const response = await fetch(url, { method: "POST", headers, body, keepalive: true });
            await response.text();
          }
        };
        await Promise.all(Array.from({ length: parallel }, sendNext));
      },
      {
        url: `${stage.gate.url}/v1/track/event?api_token=${stage.token}`,
        event: EVENT,
        count: EVENTS,
        parallel: PARALLEL,
      },
    );
    return drained(page);
  });

/** The time to deliver a back-log after an outage against bare requests at the same parallelism. */
export const benchDrain = async (stage: Stage): Promise<Comparison[]> => {
  const pairs: Pair[] = [];
  await repeat(SECONDS, async () => {
    pairs.push({ ours: await drainOurs(stage), bare: await drainBare(stage) });
  });
  return [{ what: "drain of 1,000 events, 4 in parallel", unit: "ms", rounds: pairs, target: 1.2 }];
};
