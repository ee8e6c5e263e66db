import { setTimeout as sleep } from "node:timers/promises";
import type { Browser, Page } from "playwright";
import { waitFor } from "../../../test/support/wait.js";
import { startSite } from "../../harness/site.js";
import { workOf } from "../bench/stage.js";
import type { Peer } from "./peers.js";
import { startCollector } from "./visit.js";

/** How much of the main thread's time, in ms of the processor: to start, and for an event until it is delivered. */
export interface Cost {
  start: number;
  event: number;
}

export interface Script {
  peer: Peer;
  text: string;
}

const EVENTS = 50;
const PACE_MS = 30;
/** What a tracker does of itself when it has started is over by then. */
const SETTLES_MS = 1_500;

const insert = (page: Page, code: string): Promise<void> =>
  page.evaluate((text) => {
    document.head.append(Object.assign(document.createElement("script"), { text }));
  }, code);

const recordAll = (page: Page, count: number): Promise<void> =>
  page.evaluate(
    `(async () => { for (let i = 0; i < ${count}; i++) { record("event-" + i); await new Promise((done) => setTimeout(done, ${PACE_MS})); } })()`,
  );

/** One start and some events in a fresh profile. `record` of nobody shows what the pace costs. */
const sample = async (browser: Browser, { peer, text }: Script, url: string): Promise<Cost> => {
  const collector = await startCollector(peer);
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    await page.goto(url);
    const work = await workOf(page);
    await insert(page, "window.record = () => {}");
    const pace = await work(() => recordAll(page, EVENTS));
    const idle = await work(() => sleep(SETTLES_MS));
    const start = await work(async () => {
      await insert(page, peer.stub?.(collector.url) ?? "");
      await insert(page, text);
      await insert(page, peer.start(collector.url));
      await sleep(SETTLES_MS);
    });
    const event = await work(async () => {
      await recordAll(page, EVENTS);
      await waitFor(() => collector.has([`event-${EVENTS - 1}`]));
    });
    return { start: start - idle, event: (event - pace) / EVENTS };
  } finally {
    await context.close();
    await collector.close();
  }
};

/** Costs of each script, one after the other, so that all meet the same load of the machine. */
export const measureCosts = async (browser: Browser, scripts: readonly Script[]): Promise<Cost[]> => {
  const site = await startSite();
  site.page("/bare", site.html({ tag: false }));
  const costs: Cost[] = [];
  try {
    for (const script of scripts) costs.push(await sample(browser, script, `${site.url}/bare`));
  } finally {
    await site.close();
  }
  return costs;
};
