import type { IncomingMessage } from "node:http";
import { buffer } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { gunzipSync } from "node:zlib";
import type { Browser, Page } from "playwright";
import { freePort } from "../../../test/support/ports.js";
import { waitFor } from "../../../test/support/wait.js";
import { corsHeaders, type Fault } from "../../harness/fault.js";
import { startProxy } from "../../harness/proxy.js";
import { createEither } from "../../harness/secure.js";
import { startSite } from "../../harness/site.js";
import type { Peer, Received } from "./peers.js";

const isGzip = (body: Buffer): boolean => body[0] === 0x1f && body[1] === 0x8b;

/** The events of a request's body, as it came over the wire. */
const eventsOf = (peer: Pick<Peer, "read">, url: string, body: Buffer): Received[] =>
  peer.read({ url, body: (isGzip(body) ? gunzipSync(body) : body).toString("utf8") });

/** Pages of any origin, with cookies, may send anything and read the answer. */
const headersFor = ({ headers }: IncomingMessage): Record<string, string> => ({
  ...corsHeaders(headers.origin),
  "access-control-allow-headers": headers["access-control-request-headers"] ?? "content-type",
  "access-control-max-age": "600",
});

/** Starts a service that answers as that of a tracker's maker does, and notes the events that it has taken. */
export const startCollector = async (peer: Peer) => {
  const taken: Received[] = [];
  const errors: string[] = [];
  let refused: string | undefined;

  const answer = async (request: IncomingMessage): Promise<[status: number, text: string]> => {
    const body = await buffer(request);
    if (request.method === "OPTIONS") return [204, ""];
    if (request.method !== "POST") return [200, JSON.stringify(peer.settle?.(`http://${request.headers.host}`) ?? {})];
    const events = eventsOf(peer, request.url!, body);
    if (events.some(({ name }) => name === refused)) return [500, '{"error":"cannot store this"}'];
    taken.push(...events);
    return [200, peer.answer ?? "{}"];
  };

  const server = createEither(false, await freePort(), (request, response) => {
    answer(request).then(
      ([status, text]) => {
        const own = status === 200 && request.method === "POST" ? peer.headers : {};
        response.writeHead(status, { ...headersFor(request), ...own }).end(text);
      },
      (error) => {
        // A request that this file does not understand would be counted as a loss.
        errors.push(`${request.method} ${request.url}: ${error}`);
        response.writeHead(400, headersFor(request)).end();
      },
    );
  });
  await server.open();

  return {
    url: server.url,
    /** What it has taken, in this order. */
    taken: taken as readonly Received[],
    has: (names: readonly string[]): boolean => names.every((name) => taken.some((event) => event.name === name)),
    /** Requests that it could not read. */
    errors: errors as readonly string[],
    /** From now on each request that holds this event is answered 500. */
    refuse: (name: string): void => {
      refused = name;
    },
    close: server.shut,
  };
};

export type Visit = Awaited<ReturnType<typeof startVisit>>;

/** As a service that is well: it answers after this time, in milliseconds. */
const WELL: Fault = { connection: "pass", delayMs: 100 };

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
  const collector = await startCollector(peer);
  const gateway = await startProxy({ target: collector.url, keepConnections: true });
  const site = await startSite();
  await gateway.fail(WELL);
  site.page("/tracker.js", script);
  const html = `<!doctype html><html lang="en"><head><title>A page</title>
    <script>${peer.stub?.(gateway.url) ?? ""}</script><script src="/tracker.js"></script><script>${peer.start(gateway.url)}</script></head><body></body></html>`;
  for (const path of ["/", "/next", "/last"]) site.page(path, html);
  const context = await browser.newContext();

  const arrives = (names: readonly string[], timeoutMs: number): Promise<boolean> =>
    waitFor(() => collector.has(names), { timeoutMs }).then(
      () => true,
      () => false,
    );
  let ready = 0;

  const visit = {
    collector,
    /** What the service does with events from now on; the settings of a project come from elsewhere, and keep coming. */
    fail: (fault: Fault): Promise<void> => gateway.fail(({ method }) => (method === "GET" ? "pass" : fault)),
    heal: (): Promise<void> => gateway.fail(WELL),
    /** Waits until the tracker of this page has sent something. @throws Error when it does not */
    becomesReady: async (page: Page): Promise<void> => {
      const name = `ready-${++ready}`;
      await recordOn(page, name);
      if (await arrives([name], READY_MS)) return;
      throw new Error(`${peer.name} sends nothing where nothing fails: ${collector.errors.join(", ")}`);
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
      await collector.close();
    },
  };
  return visit;
};
