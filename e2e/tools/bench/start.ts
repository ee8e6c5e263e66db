import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { DEMO_TOKEN, type TagOptions } from "../../harness/tag.js";
import { plausibleScript } from "./plausible.js";
import { ACCOUNT, CONTACT, type Stage, workOf } from "./stage.js";
import { type Pair, repeat } from "./statistics.js";
import type { Comparison } from "./table.js";

/** Pages a round and script, of which the quickest counts: a script runs once a page, cold, and the machine may be busy. */
const PAGES = 5;
const SECONDS = 100;

/** The script of the release before, as it is kept for its tests. */
const RELEASED = new URL("../../../test/upgrade/0.1.0/tracklet.iife.js.gz", import.meta.url);

interface Run {
  code: string;
  options: Record<string, string>;
}

/** Runs in the page: milliseconds that inserting an inline script takes, which compiles and runs it at once. */
const runScript = ({ code, options }: Run): number => {
  const script = document.createElement("script");
  Object.assign(script.dataset, options);
  script.text = code;
  const start = performance.now();
  document.head.append(script);
  return performance.now() - start;
};

/** The script and its start, against a peer that keeps nothing in the storage. */
export const benchStart = async (stage: Stage): Promise<Comparison[]> => {
  const { gateway, site } = stage;
  const options = { apiToken: DEMO_TOKEN, trackUrl: gateway.url, contactUid: CONTACT, accountUid: ACCOUNT };
  const endpoint = `${gateway.url}/plausible`;

  const evaluation = (code: string): Promise<number> =>
    stage.visitBare((page) => page.evaluate(runScript, { code, options }));
  /** The main thread's work until the page view is answered. */
  const start = (code: string): Promise<number> =>
    stage.visitBare(async (page) => {
      const work = await workOf(page);
      const before = gateway.posts().length;
      return work(async () => {
        await page.evaluate(runScript, { code, options });
        await gateway.waitForPosts(before + 1);
        await gateway.quiet(100);
      });
    });
  /** The same of a page that loads the script by its tag, less what an empty page takes. */
  const loaded = (code: string): Promise<number> =>
    stage.visitBare(async (page) => {
      const work = await workOf(page);
      const { contactUid, accountUid } = options;
      const tag: TagOptions = { src: "/start.js", trackUrl: gateway.url, contactUid, accountUid, pageviews: "auto" };
      site.page("/start.js", code);
      site.page("/start", { tag });
      site.page("/empty", { tag: false });
      const before = gateway.posts().length;
      const whole = await work(async () => {
        await page.goto(`${site.url}/start`);
        await gateway.waitForPosts(before + 1);
        await gateway.quiet(100);
      });
      const empty = await work(async () => {
        await page.goto(`${site.url}/empty`);
        await gateway.quiet(100);
      });
      return whole - empty;
    });
  const comparisons: (Comparison & { sample: (code: string) => Promise<number>; code: string })[] = [
    {
      what: "evaluation, against Plausible's without its page view",
      sample: evaluation,
      code: await plausibleScript(endpoint, false),
      target: 3,
    },
    {
      what: "evaluation and page view, main thread, against Plausible's",
      sample: start,
      code: await plausibleScript(endpoint, true),
    },
    {
      what: "loaded by its tag until the view is answered, less an empty page, against the release before",
      sample: loaded,
      code: gunzipSync(readFileSync(RELEASED)).toString(),
    },
  ].map((comparison) => ({ ...comparison, unit: "ms", rounds: [] as Pair[] }));
  await repeat(SECONDS, async () => {
    for (const { sample, code, rounds } of comparisons) {
      const quickest: Pair = { ours: Infinity, bare: Infinity };
      for (let page = 0; page < PAGES; page++) {
        quickest.ours = Math.min(quickest.ours, await sample(stage.bundle));
        quickest.bare = Math.min(quickest.bare, await sample(code));
      }
      rounds.push(quickest);
    }
  });
  return comparisons;
};
