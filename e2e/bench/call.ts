import type { Page } from "playwright";
import type { Fault } from "../harness/fault.js";
import { EVENT, EVENT_UID, PARAMS } from "./event.js";
import { repeat } from "./rounds.js";
import type { Stage } from "./stage.js";
import { clockQuantile, type Pair } from "./statistics.js";
import type { Comparison } from "./table.js";

/** Pairs of calls a round, after those that warm the page up. */
const WARM_UP_PAIRS = 40;
const PAIRS = 120;
const SECONDS = 60;
const BACKLOG = 1_000;

/** Answers come, but slowly: what is queued stays queued, and the service is healthy. */
const SLOW: Fault = { connection: "pass", delayMs: 250 };
/** The longest `Retry-After` that is obeyed, so that no probe falls into the measurement. */
const DOWN: Fault = { status: 503, retryAfter: 3_600 };

interface Condition {
  name: string;
  queued: number;
  fault: Fault;
  /** Whether each call waits until the queue is empty. */
  drains: boolean;
}

const CONDITIONS: Condition[] = [
  { name: "healthy, 0 queued", queued: 0, fault: "pass", drains: true },
  { name: "healthy, 1,000 queued", queued: BACKLOG, fault: SLOW, drains: false },
  { name: "down, from 0 queued", queued: 0, fault: DOWN, drains: false },
  { name: "down, 1,000 queued", queued: BACKLOG, fault: DOWN, drains: false },
];

interface Samples {
  ours: number[];
  bare: number[];
}

interface Run {
  pairs: number;
  drains: boolean;
  uid: string;
  params: object;
  event: object;
}

/** Runs in the page: calls in pairs, each call in a task of its own. Times in milliseconds. */
const samplePairs = async ({ pairs, drains, uid, params, event }: Run): Promise<Samples> => {
  const { tracklet } = window;
  const samples: Samples = { ours: [], bare: [] };
  const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
  const ownKeys = () => Object.keys(localStorage).filter((key) => key.startsWith("tracklet:event:"));
  /** A task some time after the last one, as events of a page are, with nothing under way where that is asked for. */
  const nextTask = async () => {
    do await pause(4);
    while (drains && ownKeys().length > 0);
  };
  // A row of the tracker shows the length of its keys, and that both store the same bytes.
  await nextTask();
  const others = new Set(ownKeys());
  tracklet.track(uid, params);
  const key = ownKeys().find((own) => !others.has(own))!;
  if (localStorage.getItem(key)?.length !== JSON.stringify(event).length)
    throw new Error(`not the same event: ${localStorage.getItem(key)}`);

  const callOurs = () => {
    const start = performance.now();
    tracklet.track(uid, params);
    samples.ours.push(performance.now() - start);
  };
  const callBare = async (bareKey: string) => {
    const start = performance.now();
    localStorage.setItem(bareKey, JSON.stringify(event));
    samples.bare.push(performance.now() - start);
    if (!drains) return;
    await pause(0);
    localStorage.removeItem(bareKey);
  };
  for (let pair = 0; pair < pairs; pair++) {
    const bareKey = `b${Math.random()}-${performance.now()}-`.padEnd(key.length, "_").slice(0, key.length);
    await nextTask();
    // Who is first changes, so that neither profits from what the other left behind.
    if (pair % 2) callOurs();
    else await callBare(bareKey);
    await nextTask();
    if (pair % 2) await callBare(bareKey);
    else callOurs();
  }
  return samples;
};

/** Runs in the page. */
const trackMany = ({ count, uid, params }: { count: number; uid: string; params: object }): void => {
  const { tracklet } = window;
  for (let i = 0; i < count; i++) tracklet.track(uid, params);
};

const measure = async ({ gateway }: Stage, page: Page, { queued, fault, drains }: Condition): Promise<Samples> => {
  const same = { uid: EVENT_UID, params: PARAMS };
  await page.evaluate(samplePairs, { ...same, event: EVENT, pairs: WARM_UP_PAIRS, drains: true });
  await gateway.fail(fault);
  const before = gateway.posts().length;
  // The first event of an outage meets it, so that the back-off is in force for the others.
  await page.evaluate(trackMany, { ...same, count: Math.max(queued, 1) });
  if (fault !== "pass")
    await gateway.waitFor(() => gateway.posts().length > before && (fault !== DOWN || gateway.pending().length === 0));
  const samples = await page.evaluate(samplePairs, { ...same, event: EVENT, pairs: PAIRS, drains });
  await gateway.fail("pass");
  return samples;
};

/** The time of a `track()` call against `JSON.stringify` + `localStorage.setItem`, in the same page. */
export const benchCalls = async (stage: Stage): Promise<Comparison[]> => {
  const results = CONDITIONS.map(({ name }) => ({ name, medians: [] as Pair[], slowest: [] as Pair[] }));
  await repeat(SECONDS, async () => {
    for (const [index, condition] of CONDITIONS.entries()) {
      const { ours, bare } = await stage.visitTracked(stage.tag(stage.gateway.url), (page) =>
        measure(stage, page, condition),
      );
      const at = (share: number): Pair => ({
        ours: clockQuantile(ours, share) * 1_000,
        bare: clockQuantile(bare, share) * 1_000,
      });
      results[index]!.medians.push(at(0.5));
      results[index]!.slowest.push(at(0.99));
    }
  });
  return results.flatMap(({ name, medians, slowest }) => [
    { what: `track(), ${name}: median`, unit: "µs", rounds: medians, target: 1.5 } as const,
    { what: `track(), ${name}: p99`, unit: "µs", rounds: slowest, target: 1.5 } as const,
  ]);
};
