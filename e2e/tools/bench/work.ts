import type { Page } from "playwright";
import { median } from "../../../test/support/median.js";
import { waitFor } from "../../../test/support/wait.js";
import { type Fault, untilReleased } from "../../harness/fault.js";
import { type Comparison, type Pair, repeat, table } from "./figures.js";
import { type Stage, workOf } from "./stage.js";

/* What runs in a page: functions that need nothing of this file. */

interface Run {
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
const spend = async ({ by, events, paceMs, url, uid, params, event, untilSent }: Run): Promise<void> => {
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

/** Tracks events in one task. */
const trackMany = ({ count, uid, params }: { count: number; uid: string; params: object }): void => {
  for (let i = 0; i < count; i++) window.tracklet.track(uid, params);
};

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

/** The main thread's whole time for an event against bare calls. */
export const benchWork = async (stage: Stage): Promise<Comparison[]> => {
  const rounds: Pair[] = [];
  await repeat(SECONDS, async () => {
    const pace = await paced(stage, "nobody");
    const [ours, bare] = [await paced(stage, "tracklet"), await paced(stage, "sent")];
    rounds.push({ ours: ((ours - pace) / EVENTS) * 1_000, bare: ((bare - pace) / EVENTS) * 1_000 });
  });
  return [{ what: "main thread, whole work of an event", unit: "µs", rounds, target: 1.15 }];
};

/** Events that wait. The work at the first is what the others are compared with. */
const BACKLOGS = [100, 1_000, 5_000];
const GROWTH_SECONDS = 150;
/** Samples a page. */
const SAMPLES = 60;
const ANSWERS = 60;
const GROWTH_PACE_MS = 12;

/** The longest `Retry-After` that is obeyed, so that no probe falls into the measurement. */
const DOWN: Fault = { status: 503, retryAfter: 3_600 };

/** Microseconds of one step, by the name of what was measured. */
type Figures = Record<string, number>;

/** Counts the answers of this status from now on. */
const answers = ({ gateway }: Stage) => {
  const { length } = gateway.posts();
  return (status: number): number =>
    gateway.posts().filter((post, index) => index >= length && post.status === status).length;
};

/** One `track()`, and the round after it that finds nothing to do. */
const tracking = async (stage: Stage, page: Page): Promise<Figures> => {
  const run = (by: Run["by"], events = SAMPLES) =>
    page.evaluate(spend, { by, events, paceMs: GROWTH_PACE_MS, ...stage.event });
  const work = await workOf(page);
  // Warm, as on a page that has tracked before.
  for (const by of ["tracklet", "stored", "nobody"] as const) await run(by, 10);
  const pace = await work(() => run("nobody"));
  const whole = await work(() => run("tracklet"));
  const bare = await work(() => run("stored"));
  return {
    "service down: track() and its round": ((whole - pace) / SAMPLES) * 1_000,
    "service down: setItem, bare": ((bare - pace) / SAMPLES) * 1_000,
  };
};

/** The state that each measurement needs, and what is measured then. */
const MEASUREMENTS: ((stage: Stage, page: Page, waiting: number) => Promise<Figures>)[] = [
  async (stage, page, waiting) => {
    const answered = answers(stage);
    await stage.gateway.fail(DOWN);
    await page.evaluate(trackMany, { ...stage.event, count: waiting });
    await waitFor(() => answered(503) > 0);
    return tracking(stage, page);
  },

  // So many are answered, the others never: the queue is nearly the same before and after.
  async (stage, page, waiting) => {
    const answered = answers(stage);
    const before = stage.gateway.posts().length;
    let passed = 0;
    const { until, release } = untilReleased();
    await stage.gateway.fail(({ method }) =>
      method === "POST" && passed++ < ANSWERS ? { connection: "pass", until } : "hang",
    );
    await page.evaluate(trackMany, { ...stage.event, count: waiting + ANSWERS });
    await stage.gateway.waitForPosts(before + 1);
    const work = await workOf(page);
    const spent = await work(async () => {
      release();
      await waitFor(() => answered(200) >= ANSWERS);
      await stage.gateway.quiet(300);
    });
    return { "service up: an answer, and the next request": (spent / ANSWERS) * 1_000 };
  },
];

/** Work on the main thread at a queue of each length, and its ratio to that at 100. */
export const benchGrowth = async (stage: Stage): Promise<string> => {
  const samples: Record<string, number[][]> = {};
  await repeat(GROWTH_SECONDS, async () => {
    for (const measure of MEASUREMENTS)
      for (const [index, waiting] of BACKLOGS.entries()) {
        const figures = await stage.visitTracked(stage.gateway.url, (page) => measure(stage, page, waiting));
        for (const [name, value] of Object.entries(figures)) {
          samples[name] ??= BACKLOGS.map(() => []);
          samples[name][index]!.push(value);
        }
        await stage.gateway.fail("pass");
      }
  });
  const rows = Object.entries(samples).map(([name, lengths]) => {
    const medians = lengths.map(median);
    const ratio = (index: number) => (medians[index]! / medians[0]!).toFixed(2);
    return [name, ...medians.map((value) => `${value.toFixed(0)} µs`), ratio(1), ratio(2)];
  });
  const head = ["events that wait:", ...BACKLOGS.map((count) => count.toLocaleString("en")), "1,000/100", "5,000/100"];
  return table([head, ...rows]);
};
