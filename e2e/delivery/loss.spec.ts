import { SERVICE, spawnService } from "../../test/service/support/service-process.js";
import { type OwnService, startService } from "../../test/support/service.js";
import { test as base, EVERY_ENGINE, expect } from "../harness/engines.js";
import type { Faults } from "../harness/fault.js";
import { waitFor } from "../harness/fixtures.js";
import { waitForBackOff } from "../harness/outage.js";
import { eventKeys, killPage, leaveBy, type Tab } from "../harness/tab.js";
import { trackMany } from "../harness/track.js";

/*
 * Does `loss` compute what is truly missing? The driver knows: what it has tracked, and what is stored. Pages are killed,
 * closed, cut off, left hanging and throttled, which must lose nothing. So that there is something to find, an answer of 200
 * comes for events that nobody has stored, and a queue is too short.
 */

/** Events an engine, at least: whole turns of all that happens. */
const EVENTS = Number(process.env.TEST_EVENTS ?? 400);
/** Events that a tab tracks in one task: those of all rounds are below the bound of what waits. */
const BURST = 40;
/** Requests of a burst that meet a fault which is over then. */
const FAULTY = 8;

const test = base.extend<object, { service: OwnService }>({
  // Of its own: the command reads the numbers of all documents.
  service: [
    // biome-ignore lint/correctness/noEmptyPattern: the runner reads a fixture's needs from this pattern
    async ({}, use) => {
      const service = await startService();
      await use(service);
      await service.dispose();
    },
    { scope: "worker", timeout: 180_000 },
  ],
});

/** A fault for the first requests alone. */
const atFirst = (fault: (index: number) => Faults): Faults => {
  let index = 0;
  return (request) => {
    const now = request.method === "POST" && index < FAULTY ? fault(index++) : "pass";
    return typeof now === "function" || now === "refuse" ? "pass" : now;
  };
};

interface Round {
  /** What the requests of the two tabs meet; those that hang do so until the first tab has ended. */
  fault: (until: Promise<void>) => Faults;
  /** How the first tab ends, once a request has met the fault. */
  end: (tab: Tab) => Promise<unknown>;
}

const SLOW: Faults = { connection: "pass", delayMs: 300, preflight: "fault" };
const reload = (tab: Tab) => leaveBy(tab, "location.reload()");
const close = (tab: Tab) => tab.close();

/** What is left of each is sent beside what comes then. */
const ROUNDS: Record<string, Round> = {
  killed: { fault: () => SLOW, end: killPage },
  closed: { fault: () => SLOW, end: close },
  // It stays in the back/forward cache until then.
  "closed on a page without the snippet": {
    fault: () => SLOW,
    end: (tab) => leaveBy(tab, `location.assign("/bare")`).then(() => tab.close()),
  },
  cut: { fault: () => atFirst((index) => (index % 2 ? "reset" : "store-then-cut")), end: close },
  hung: { fault: (until) => ({ connection: "reset", until }), end: reload },
  throttled: { fault: () => atFirst(() => ({ status: 429, retryAfter: 1 })), end: reload },
};
/** An answer of the service's for events that nobody has stored. */
const SWALLOWED: Faults = {
  status: 200,
  headers: { "tracklet-batch": "1000", "access-control-expose-headers": "Retry-After, Tracklet-Batch" },
};

test(
  "What the numbers of events say is missing is what is truly missing, whatever happens to pages and network",
  EVERY_ENGINE,
  async ({ open, site, gateway, service, browserName, rows }) => {
    test.setTimeout(120_000 + EVENTS * 200);
    site.configure({ stamp: true });
    site.page("/bare", { tag: false });
    const tracked: string[] = [];
    const trackIn = async (tab: Tab, prefix: string) => tracked.push(...(await trackMany(tab, BURST, prefix)));
    const empties = (tab: Tab) =>
      waitFor(async () => (await eventKeys(tab)).length === 0, { what: "all rows to go", timeoutMs: 120_000 });
    /** Tabs that stay open: they send what the others have left. */
    const left: Tab[] = [];
    const live = async (what: string, { fault, end }: Round) => {
      const tabs = [await open(), await open()] as const;
      let release = (): void => {};
      const until = new Promise<void>((resolve) => {
        release = resolve;
      });
      await gateway.fail(fault(until));
      const before = gateway.posts().length;
      for (const [index, tab] of tabs.entries()) await trackIn(tab, `${what}-${tracked.length}-${index}`);
      await gateway.waitForPosts(before + 2);
      await end(tabs[0]);
      release();
      await gateway.heal();
      left.push(...(end === reload ? tabs : tabs.slice(1)));
    };

    while (tracked.length < EVENTS) {
      // WebKitGTK's driver ends its session when a page crashes; processes of pages are looked for in /proc.
      for (const [what, round] of Object.entries(ROUNDS))
        if (what !== "killed" || (browserName !== "webkit" && process.platform === "linux")) await live(what, round);
      const last = left.at(-1)!;
      await empties(last);
      await gateway.during(SWALLOWED, async () => {
        await trackIn(last, `swallowed-${tracked.length}`);
        await empties(last);
      });
      // What is lost behind the last event of a document nobody can see.
      await trackIn(last, `behind-${tracked.length}`);
      await empties(last);
      for (const tab of left.splice(0)) await tab.close();
      // The oldest events of a queue that is too short go.
      site.configure({ maxEvents: BURST / 2 });
      const tab = await open();
      await gateway.during({ status: 503 }, async () => {
        await trackIn(tab, `evicted-${tracked.length}`);
        await waitForBackOff(tab);
      });
      await empties(tab);
      await tab.close();
      site.configure({ maxEvents: undefined });
    }

    const stored = (await rows()).map(({ event_uid }) => event_uid);
    const once = new Set(stored);
    const missing = tracked.filter((uid) => !once.has(uid));
    const lost = missing.filter((uid) => !/^(swallowed|evicted)/.test(uid));
    const repeated = stored.length - once.size;
    const command = spawnService({ TRACKLET_DATA: service.data }, [SERVICE, "loss"]);
    const [, ...numbers] = await command.says(/^(\d+) of (\d+) events missing/m);
    const [computed, all] = numbers.map(Number);
    console.log(
      `${browserName}: of ${all} events ${lost.length} lost, ${missing.length - lost.length} taken away, ${repeated} repeated; computed: ${computed} missing`,
    );
    expect({ lost, repeated, computed, all }).toEqual({
      lost: [],
      repeated: 0,
      computed: missing.length,
      all: tracked.length,
    });
    expect(missing.length).toBeGreaterThan(BURST);
  },
);
