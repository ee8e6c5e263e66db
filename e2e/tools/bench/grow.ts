import type { Page } from "playwright";
import { median } from "../../../test/support/median.js";
import { waitFor } from "../../../test/support/wait.js";
import { type Fault, untilReleased } from "../../harness/fault.js";
import { type Run, spend, trackMany } from "./in-page.js";
import { type Stage, workOf } from "./stage.js";
import { repeat } from "./statistics.js";
import { table } from "./table.js";

/** Events that wait. The work at the first is what the others are compared with. */
const BACKLOGS = [100, 1_000, 5_000];
const SECONDS = 150;
/** Samples a page. */
const EVENTS = 60;
const ANSWERS = 60;
const FAILURES = 7;
const PACE_MS = 12;

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
  const run = (by: Run["by"], events = EVENTS) => page.evaluate(spend, { by, events, paceMs: PACE_MS, ...stage.event });
  const work = await workOf(page);
  // Warm, as on a page that has tracked before.
  for (const by of ["tracklet", "stored", "nobody"] as const) await run(by, 10);
  const pace = await work(() => run("nobody"));
  const whole = await work(() => run("tracklet"));
  const bare = await work(() => run("stored"));
  return {
    "service down: track() and its round": ((whole - pace) / EVENTS) * 1_000,
    "service down: setItem, bare": ((bare - pace) / EVENTS) * 1_000,
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

  async (stage, page, waiting) => {
    // Full jitter draws short delays.
    await page.evaluate(() => {
      const random = Math.random.bind(Math);
      Math.random = () => random() / 50;
    });
    await stage.gateway.fail({ status: 503 });
    const answered = answers(stage);
    await page.evaluate(trackMany, { ...stage.event, count: waiting });
    await waitFor(() => answered(503) > 0);
    const before = answered(503);
    const work = await workOf(page);
    const spent = await work(() => waitFor(() => answered(503) >= before + FAILURES));
    return { "service down: a failure, and the next probe": (spent / FAILURES) * 1_000 };
  },
];

/** Work on the main thread at a queue of each length, and its ratio to that at 100. */
export const benchGrowth = async (stage: Stage): Promise<string> => {
  const samples: Record<string, number[][]> = {};
  await repeat(SECONDS, async () => {
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
