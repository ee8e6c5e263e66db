import { readFile } from "node:fs/promises";
import type { Page } from "playwright";
import { startService } from "../../../test/support/service.js";
import { launchChromium } from "../../harness/chromium.js";
import { startProxy } from "../../harness/proxy.js";
import { startSite } from "../../harness/site.js";
import { DEMO_TOKEN, type TagOptions } from "../../harness/tag.js";

/** The event of all measurements, 300 bytes as most real ones: what is tracked, and the same as it is stored and sent. */
export const CONTACT = "contact-5d1c3a70";
export const ACCOUNT = "account-0041";
export const EVENT_UID = "report_exported";

export const PARAMS = {
  display_name: "Exported a report",
  visit_url: "https://app.example.com/reports/quarterly?view=table&group=region",
  format: "spreadsheet",
  rows: 1_284,
  filters: ["region", "quarter", "owner"],
  is_shared: false,
};

export const EVENT = {
  contact_uid: CONTACT,
  event_uid: EVENT_UID,
  params: { account_uid: ACCOUNT, ...PARAMS },
};

/** Cross-origin isolation: `performance.now()` steps by 5 µs instead of 100. */
const ISOLATED = { "cross-origin-opener-policy": "same-origin", "cross-origin-embedder-policy": "require-corp" };

/** Bounds far off, so that no measurement meets an eviction. */
const UNBOUNDED = { maxEvents: 100_000, maxBytes: 100_000_000 };

export type Stage = Awaited<ReturnType<typeof openStage>>;

/** Measures on a page: milliseconds of its main thread's tasks while `action` runs, not counting when it was interrupted. */
export const workOf = async (page: Page) => {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  const taskTime = async (): Promise<number> => {
    const { metrics } = await session.send("Performance.getMetrics");
    return metrics.find(({ name }) => name === "TaskDuration")!.value * 1_000;
  };
  return async (action: () => Promise<unknown>): Promise<number> => {
    const before = await taskTime();
    await action();
    return (await taskTime()) - before;
  };
};

/** The real service, a website and a Chromium. */
export const openStage = async () => {
  // Read once: a build that ends meanwhile changes nothing in the middle of a run.
  const bundle = await readFile(new URL("../../../dist/tracklet.iife.js", import.meta.url), "utf8");
  const service = await startService();
  const gateway = await startProxy({ target: service.url, keepConnections: true });
  const site = await startSite();
  site.page("/bundle.js", bundle);
  site.page("/bare", site.html({ tag: false }), { headers: ISOLATED });
  const browser = await launchChromium();

  const visit = async <T>(path: string, use: (page: Page) => Promise<T>): Promise<T> => {
    const context = await browser.newContext();
    // The compiler of this program names functions by a helper, which a page does not have.
    await context.addInitScript("globalThis.__name = (named) => named");
    try {
      const page = await context.newPage();
      await page.goto(site.url + path);
      return await use(page);
    } finally {
      await context.close();
    }
  };

  return {
    bundle,
    service,
    /** The event as it is tracked, as it is sent, and where to. */
    event: {
      uid: EVENT_UID,
      params: PARAMS,
      event: EVENT,
      url: `${service.url}/v1/track/event?api_token=${DEMO_TOKEN}`,
    },
    /** Between page and service where an outage is needed that is answered. It costs time, so none is measured behind it. */
    gateway,
    site,
    browser,
    version: browser.version(),
    /** Uses a page without the tracker, in a fresh profile. */
    visitBare: <T>(use: (page: Page) => Promise<T>): Promise<T> => visit("/bare", use),
    /** Uses a page with the tracker, which sends there, in a fresh profile. */
    visitTracked: <T>(trackUrl: string, use: (page: Page) => Promise<T>, options: TagOptions = {}): Promise<T> => {
      const contact = { contactUid: CONTACT, accountUid: ACCOUNT };
      const tag = { src: "/bundle.js", async: false, trackUrl, ...contact, ...UNBOUNDED, ...options };
      site.page("/tracked", { tag }, { headers: ISOLATED });
      return visit("/tracked", use);
    },
    close: async (): Promise<void> => {
      await browser.close();
      await site.close();
      await gateway.close();
      await service.dispose();
    },
  };
};
