import { type Comparison, type Pair, repeat } from "./figures.js";
import type { Stage } from "./main.js";
import { plausibleWith } from "./plausible.js";

/** Loads a round and script, of which the quickest counts: a script is cold once a page, and the machine may be busy. */
const LOADS = 5;
const SECONDS = 100;
/** A slow telephone: so many times slower than this processor. */
const SLOW = 6;

/** CPU time of a page's main thread, in milliseconds: of the script's evaluation, of all from there on, and of the longest task. */
type Cost = Record<"evaluation" | "all" | "longest", number>;

/** An event of Chromium's trace. Times are in microseconds. */
interface Traced {
  name: string;
  ph: string;
  pid: number;
  tid: number;
  ts: number;
  dur: number;
  /** CPU time; left out where there is none to tell. */
  tdur?: number;
  args: { fileName?: string };
}

/** What the tasks of the thread cost that ran this script, from that task on. */
const costOf = (trace: Traced[], url: string): Cost => {
  const script = trace.find(({ name, args }) => name === "v8.run" && args.fileName === url)!;
  const tasks = trace.filter(
    ({ name, ph, pid, tid, ts, dur }) =>
      ph === "X" && name.endsWith("::RunTask") && pid === script.pid && tid === script.tid && ts + dur >= script.ts,
  );
  const [evaluation = 0, ...later] = tasks
    .sort((one, other) => one.ts - other.ts)
    .map(({ tdur, dur }) => (tdur ?? dur) / 1_000);
  return {
    evaluation,
    all: later.reduce((sum, each) => sum + each, evaluation),
    longest: Math.max(evaluation, ...later),
  };
};

/** The script as its tag loads it, until its page view is answered, beside a peer that keeps nothing. */
export const benchStart = async ({ gateway, site, browser, bundle }: Stage): Promise<Comparison[]> => {
  const peer = { domain: "bench.example", endpoint: `${gateway.url}/plausible`, captureOnLocalhost: true };
  const scripts = {
    ours: bundle,
    plausible: await plausibleWith(`plausible.init(${JSON.stringify(peer)})`),
    empty: "0",
  };
  const names = Object.keys(scripts) as (keyof typeof scripts)[];
  const options = {
    trackUrl: gateway.url,
    contactUid: "contact-1",
    accountUid: "account-1",
    pageviews: "auto",
  } as const;
  for (const name of names) {
    site.page(`/${name}.js`, scripts[name]);
    site.page(`/start-${name}`, { tag: { src: `/${name}.js`, ...options } });
  }

  const load = async (name: keyof typeof scripts, rate: number): Promise<Cost> => {
    const context = await browser.newContext();
    try {
      const page = await context.newPage();
      const session = await context.newCDPSession(page);
      const trace: Traced[] = [];
      session.on("Tracing.dataCollected", ({ value }) => trace.push(...(value as unknown as Traced[])));
      const ended = new Promise((resolve) => session.once("Tracing.tracingComplete", resolve));
      await session.send("Emulation.setCPUThrottlingRate", { rate });
      await session.send("Tracing.start", { traceConfig: { includedCategories: ["toplevel", "v8"] } });
      const before = gateway.posts().length;
      await page.goto(`${site.url}/start-${name}`);
      if (name !== "empty") await gateway.waitForPosts(before + 1);
      await gateway.quiet(300);
      await session.send("Tracing.end");
      await ended;
      return costOf(trace, `${site.url}/${name}.js`);
    } finally {
      await context.close();
    }
  };

  const lines: [keyof Cost, number, number | undefined, string][] = [
    ["evaluation", 1, 3, "loaded by its tag: evaluation, against Plausible's"],
    ["all", 1, undefined, "until the view is answered, less an empty script, against Plausible's"],
    ["longest", SLOW, undefined, "longest task at sixfold slowness, against Plausible's"],
  ];
  const comparisons = lines.map(([, , target, what]) => ({ what, target, unit: "ms", rounds: [] as Pair[] }) as const);
  await repeat(SECONDS, async () => {
    const least = new Map<string, number>();
    for (let turn = 0; turn < LOADS; turn++)
      for (const rate of [1, SLOW])
        for (const name of names)
          for (const [member, cost] of Object.entries(await load(name, rate))) {
            const key = `${name} ${member} ${rate}`;
            least.set(key, Math.min(least.get(key) ?? Infinity, cost));
          }
    for (const [at, [member, rate]] of lines.entries()) {
      const empty = member === "all" ? least.get(`empty all ${rate}`)! : 0;
      const leastOf = (name: string) => least.get(`${name} ${member} ${rate}`)! - empty;
      comparisons[at]!.rounds.push({ ours: leastOf("ours"), bare: leastOf("plausible") });
    }
  });
  return comparisons;
};
