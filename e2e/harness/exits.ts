import { type BrowserContext, expect, type Page } from "playwright/test";
import { trackAndLeave } from "./leave.js";
import type { FaultProxy } from "./proxy.js";
import type { createRows } from "./rows.js";
import type { Site } from "./site.js";
import { names, track, trackMany } from "./track.js";

/*
 * Pages that are left in every way there is, as functions: the same must hold whichever means the browser has to send
 * when a page goes.
 */

export interface ExitStage {
  context: BrowserContext;
  page: Page;
  site: Site;
  gateway: FaultProxy;
  expectRows: ReturnType<typeof createRows>["expectRows"];
}

/**
 * Visits the site once more and waits until everything that earlier pages have left there is adopted and sent: what was
 * missing comes now, and so does what is wrongly sent again.
 *
 * @returns the name of the event that it tracks itself
 */
export const visitLast = async ({ page, site }: Pick<ExitStage, "page" | "site">): Promise<string> => {
  await page.goto(`${site.url}/last`);
  const flush = () => page.evaluate(() => window.tracklet.flush({ timeoutMs: 30_000 }));
  await flush();
  await track(page, "last");
  // An answer to what began after the adoption decides on what was in flight when its page was left.
  await expect.poll(async () => (await flush()).queued, "events that still wait").toBe(0);
  return "last";
};

/** 200 events in one task of a page that stays. */
export const trackManyAtOnce = async ({ page, site, expectRows }: ExitStage): Promise<void> => {
  await page.goto(site.url);
  await expectRows(await trackMany(page, 200));
};

/** Two events, then `location.assign` in the same task, on 40 pages in a row. */
export const assignManyTimes = async (stage: ExitStage): Promise<void> => {
  const { page, site } = stage;
  const uids: string[] = [];
  await page.goto(site.url);
  for (let i = 1; i <= 40; i++) {
    const [one, two, next] = [`page-${i}-one`, `page-${i}-two`, `${site.url}/page-${i}`] as const;
    const arrived = page.waitForURL(next);
    await trackAndLeave(page, [one, two], `location.assign(${JSON.stringify(next)})`);
    await arrived;
    uids.push(one, two);
  }
  uids.push(await visitLast(stage));
  await stage.expectRows(uids);
};

/** One event, then the tab is closed, 20 times. */
export const closeManyTabs = async (stage: ExitStage): Promise<void> => {
  const uids: string[] = [];
  for (let i = 1; i <= 20; i++) {
    const tab = await stage.context.newPage();
    await tab.goto(`${stage.site.url}/tab-${i}`);
    const uid = `tab-${i}`;
    uids.push(uid);
    await track(tab, uid);
    await tab.close();
  }
  uids.push(await visitLast(stage));
  await stage.expectRows(uids);
};

/** An event in the listener of a form's `submit`, which leaves the page. */
export const submitForm = async (stage: ExitStage): Promise<void> => {
  const { page, site } = stage;
  const body = `<form action="/thanks" method="post"><button>Send</button></form>
    <script>document.forms[0].addEventListener("submit", () => tracklet.push(["track", "submitted"]))</script>`;
  site.page("/form", site.html({ body }));
  await page.goto(`${site.url}/form`);
  await page.getByRole("button").click();
  await page.waitForURL(`${site.url}/thanks`);
  await stage.expectRows(["submitted", await visitLast(stage)]);
};

/** Events, then a reload in the same task. */
export const reloadAtOnce = async (stage: ExitStage): Promise<void> => {
  const { page, site } = stage;
  await page.goto(`${site.url}/reloaded`);
  const uids = names("reload", 3);
  const loaded = page.waitForEvent("load");
  await trackAndLeave(page, uids, "location.reload()");
  await loaded;
  await stage.expectRows([...uids, await visitLast(stage)]);
};

/** When the page's own `pagehide` listener was registered: it runs before the snippet's, or after it. */
export type ListenerOrder = "before" | "after";

export interface FarewellOptions {
  order: ListenerOrder;
  count: number;
  /** Text that fills each event; what arrives must be equal to it. */
  text: string;
  /** Events whose requests must have been sent while the page was left: what a document may have in flight then. */
  atLeast: number;
}

/** A lease that nobody has ended runs out after this time, in milliseconds. */
const LEASE_MS = 20_000;

/** `count` large events in the page's own `pagehide` listener: what fits leaves at once, the rest with the next visit. */
export const trackAtPagehide = async (
  stage: ExitStage,
  { order, count, text, atLeast }: FarewellOptions,
): Promise<void> => {
  const { page, site, gateway } = stage;
  const listen = `addEventListener("pagehide", () => {
    for (let i = 1; i <= ${count}; i++) tracklet.push(["track", "bye-" + i, { text: i + ${JSON.stringify(text)} }]);
  })`;
  // The bundle, an async script, has run when the page's load event comes.
  const own = order === "before" ? listen : `addEventListener("load", () => ${listen})`;
  site.page("/farewell", site.html({ head: `<script>${own}</script>` }));
  await page.goto(`${site.url}/farewell`);
  await page.goto("about:blank");
  const uids = names("bye", count);
  // No other page could have sent them.
  await gateway.waitForPosts(atLeast);
  await gateway.quiet();
  const visitedAt = performance.now();
  const stored = await stage.expectRows([...uids, await visitLast(stage)]);
  // A page that was left has ended its lease: the next one need not wait for it to run out.
  expect(performance.now() - visitedAt, "ms until what was left behind is stored").toBeLessThan(LEASE_MS);
  for (const { event_uid, params } of stored)
    if (event_uid !== "last") expect(params.text, event_uid).toBe(event_uid.slice("bye-".length) + text);
};

/** One event larger than what a request that outlives its page may carry (64 KiB), on a page that stays. */
export const trackLarge = async ({ page, site, gateway, expectRows }: ExitStage): Promise<void> => {
  const text = "x".repeat(100 * 1024);
  await page.goto(site.url);
  await track(page, "large", { text });
  await track(page, "small");
  const stored = await expectRows(["large", "small"]);
  expect(stored.find(({ event_uid }) => event_uid === "large")?.params.text).toBe(text);
  expect(gateway.posts("large")).toHaveLength(1);
};

/** Text whose bytes in UTF-8 are three times its characters, and some that take two or four. */
export const multiByteText = (characters: number): string => `${"語".repeat(characters - 12)}é—ß👩‍🚀\u2028עब`;
