import type { Page } from "playwright";
import { waitFor } from "../../test/support/wait.js";
import { eventKeys } from "../harness/tab.js";
import { type Run, sendRows, spend, storeRows, trackMany } from "./in-page.js";
import { type Stage, workOf } from "./stage.js";
import { type Pair, repeat } from "./statistics.js";
import type { Comparison } from "./table.js";

const EVENTS = 200;
/** Milliseconds between two events: less than a request takes now and then, so that some are in flight together. */
const PACE_MS = 8;
/** As many requests as the tracker has in flight. */
const PARALLEL = 4;
const BACKLOGS = [100, 1_000, 5_000];

/** The work of events of a page whose service is well. Milliseconds in all. */
const paced = (stage: Stage, by: Run["by"]): Promise<number> => {
  const use = async (page: Page): Promise<number> => {
    const run = { by, paceMs: PACE_MS, untilSent: true, ...stage.event };
    const work = await workOf(page);
    await page.evaluate(spend, { ...run, events: EVENTS / 4 });
    return work(() => page.evaluate(spend, { ...run, events: EVENTS }));
  };
  return by === "tracklet" ? stage.visitTracked(stage.service.url, use) : stage.visitBare(use);
};

interface Drain {
  work: number;
  elapsed: number;
}

const timed = async (page: Page, action: () => Promise<unknown>): Promise<Drain> => {
  const work = await workOf(page);
  const start = performance.now();
  return { work: await work(action), elapsed: performance.now() - start };
};

/** Events queued in an outage, from its end. */
const drainTracked = ({ visitTracked, event, service, stored }: Stage, count: number): Promise<Drain> =>
  visitTracked(service.url, async (page) => {
    await page.route(`${service.url}/**`, (route) => route.abort());
    const expected = (await stored()) + count;
    const failed = page.waitForEvent("requestfailed");
    await page.evaluate(trackMany, { ...event, count });
    await failed;
    await page.unrouteAll();
    return timed(page, async () => {
      await waitFor(async () => (await stored()) >= expected, { everyMs: 100, timeoutMs: 180_000 });
      await waitFor(async () => (await eventKeys(page)).length === 0);
    });
  });

const drainBare = (stage: Stage, count: number): Promise<Drain> =>
  stage.visitBare(async (page) => {
    await page.evaluate(storeRows, { ...stage.event, count });
    return timed(page, () => page.evaluate(sendRows, { ...stage.event, parallel: PARALLEL }));
  });

/** The main thread's whole time for an event against bare calls, and for one of a back-log after an outage. */
export const benchWork = async (stage: Stage): Promise<Comparison[]> => {
  const whole: Pair[] = [];
  await repeat(35, async () => {
    const pace = await paced(stage, "nobody");
    const [ours, bare] = [await paced(stage, "tracklet"), await paced(stage, "sent")];
    whole.push({ ours: ((ours - pace) / EVENTS) * 1_000, bare: ((bare - pace) / EVENTS) * 1_000 });
  });
  const drains = BACKLOGS.map((count) => ({ count, work: [] as Pair[], elapsed: [] as Pair[] }));
  await repeat(60, async () => {
    for (const { count, work, elapsed } of drains) {
      const [ours, bare] = [await drainTracked(stage, count), await drainBare(stage, count)];
      work.push({ ours: (ours.work / count) * 1_000, bare: (bare.work / count) * 1_000 });
      elapsed.push({ ours: ours.elapsed, bare: bare.elapsed });
    }
  });
  return [
    { what: "main thread, whole work of an event", unit: "µs", rounds: whole, target: 1.15 },
    ...drains.flatMap(({ count, work, elapsed }): Comparison[] => [
      { what: `drain of ${count}, main thread, an event`, unit: "µs", rounds: work, target: 1.3 },
      { what: `drain of ${count}, in all`, unit: "ms", rounds: elapsed },
    ]),
  ];
};
