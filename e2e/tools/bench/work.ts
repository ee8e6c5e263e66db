import type { Page } from "playwright";
import { type Run, spend } from "./in-page.js";
import { type Stage, workOf } from "./stage.js";
import { type Pair, repeat } from "./statistics.js";
import type { Comparison } from "./table.js";

const EVENTS = 200;
/** Milliseconds between two events: less than a request takes now and then, so that some are in flight together. */
const PACE_MS = 8;
const SECONDS = 35;

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

/** The main thread's whole time for an event against bare calls. What one costs that has waited is in `grow.ts`. */
export const benchWork = async (stage: Stage): Promise<Comparison[]> => {
  const rounds: Pair[] = [];
  await repeat(SECONDS, async () => {
    const pace = await paced(stage, "nobody");
    const [ours, bare] = [await paced(stage, "tracklet"), await paced(stage, "sent")];
    rounds.push({ ours: ((ours - pace) / EVENTS) * 1_000, bare: ((bare - pace) / EVENTS) * 1_000 });
  });
  return [{ what: "main thread, whole work of an event", unit: "µs", rounds, target: 1.15 }];
};
