import { setTimeout as sleep } from "node:timers/promises";
import type { Browser, Page } from "playwright";
import { waitFor } from "../../../test/support/wait.js";
import type { Fault, RecordedRequest } from "../../harness/fault.js";
import { startProxy } from "../../harness/proxy.js";
import { startSite } from "../../harness/site.js";
import type { Peer, Received } from "./peers.js";

export type Visit = Awaited<ReturnType<typeof startVisit>>;

/** A service that is well answers after this time, in milliseconds. */
const WELL_MS = 100;
const EVERY_MS = 100;
/** So long a visitor stays after the fault has ended, and so long on the next page of the site, in milliseconds. */
const STAYS_MS = 30_000;
const RETURNS_MS = 20_000;
/** A tracker that has sent nothing by then is not set up right. */
const READY_MS = 30_000;
/** Nobody leaves in the moment in which the last answer is under way. */
const READS_MS = 1_000;
/** A repeat may come after all have arrived. */
const QUIET_MS = 5_000;

/** Some trackers give a promise that is kept once the event has arrived: nobody waits for it here. */
const recordOn = (page: Page, name: string): Promise<unknown> => page.evaluate(`void record("${name}")`);

/** Somebody who visits a site with a tracker, in a fresh profile, while its service does what a fault says. */
export const startVisit = async (browser: Browser, peer: Peer, script: string) => {
  /** The events that the service has taken, in this order, and the requests that could not be read: else they would count as losses. */
  const taken: Received[] = [];
  const errors: string[] = [];
  let refused: string | undefined;
  let fault: Fault | undefined;
  // It answers by itself, as the service of the tracker's maker does.
  const gateway = await startProxy({ target: "http://no.test", keepConnections: true });
  const answer = (request: RecordedRequest): Fault => {
    const { method, headers } = request;
    const allowed = `${headers["access-control-request-headers"] ?? "content-type"}`;
    const preflight = { "access-control-allow-headers": allowed, "access-control-max-age": "600" };
    if (method === "OPTIONS") return { status: 204, preflight: "fault", headers: preflight };
    // The settings of a project come from elsewhere, and keep coming.
    if (method !== "POST") return { status: 200, body: JSON.stringify(peer.settle?.(gateway.url) ?? {}) };
    if (fault) return fault;
    try {
      const events = peer.read(request);
      if (events.some(({ name }) => name === refused)) return { status: 500 };
      taken.push(...events);
      return { status: 200, delayMs: WELL_MS, body: peer.answer ?? "{}", headers: peer.headers ?? {} };
    } catch (error) {
      errors.push(`${method} ${request.url}: ${error}`);
      return { status: 400 };
    }
  };
  await gateway.fail(answer);
  const site = await startSite();
  site.page("/tracker.js", script);
  const html = `<!doctype html><html lang="en"><head><title>A page</title>
    <script>${peer.stub?.(gateway.url) ?? ""}</script><script src="/tracker.js"></script><script>${peer.start(gateway.url)}</script></head><body></body></html>`;
  for (const path of ["/", "/next", "/last"]) site.page(path, html);
  const context = await browser.newContext();

  const arrives = (names: readonly string[], timeoutMs: number): Promise<boolean> =>
    waitFor(() => names.every((name) => taken.some((event) => event.name === name)), { timeoutMs }).then(
      () => true,
      () => false,
    );
  let ready = 0;

  const visit = {
    taken: taken as readonly Received[],
    errors: errors as readonly string[],
    /** From now on each request that holds this event is answered 500. */
    refuse: (name: string): void => {
      refused = name;
    },
    /** What the service does with events from now on. */
    fail: (next: Fault | undefined): void => {
      fault = next;
    },
    heal: (): void => visit.fail(undefined),
    /** Waits until the tracker of this page has sent something. @throws Error when it does not */
    becomesReady: async (page: Page): Promise<void> => {
      const name = `ready-${++ready}`;
      await recordOn(page, name);
      if (await arrives([name], READY_MS)) return;
      throw new Error(`${peer.name} sends nothing where nothing fails: ${errors.join(", ")}`);
    },
    /** Opens a tab on the site; resolves when the tracker works. */
    open: async (): Promise<Page> => {
      const page = await context.newPage();
      await page.goto(site.url);
      await visit.becomesReady(page);
      return page;
    },
    /** Records events one after the other. */
    record: async (page: Page, names: readonly string[]): Promise<void> => {
      for (const name of names) {
        await recordOn(page, name);
        await sleep(EVERY_MS);
      }
    },
    /** The same visitor goes on: on this page for a while, then on the next one. Resolves when nothing more comes. */
    goOn: async (page: Page, names: readonly string[]): Promise<void> => {
      await arrives(names, STAYS_MS);
      await sleep(READS_MS);
      await page.goto(`${site.url}/last`);
      await visit.record(page, ["last"]);
      await arrives([...names, "last"], RETURNS_MS);
      await Promise.race([gateway.quiet(QUIET_MS).catch(() => {}), sleep(3 * QUIET_MS)]);
    },
    close: async (): Promise<void> => {
      await context.close();
      await site.close();
      await gateway.close();
    },
  };
  return visit;
};
