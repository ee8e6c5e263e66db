import type { Page } from "playwright";
import { FIRST_LEASE_MS } from "../../../src/browser/delivery/queue.js";
import { post, postBatches } from "../../../test/service/bench/load.js";
import { median } from "../../../test/support/median.js";
import { waitFor } from "../../../test/support/wait.js";
import { eventKeys, leaveBy } from "../../harness/tab.js";
import { type Count, measureFault } from "../compare/count.js";
import { FAULTS } from "../compare/faults.js";
import { plain, several } from "../compare/peers/tracklet.js";
import { type Clicks, clicks, trackMany } from "./in-page.js";
import { ACCOUNT, CONTACT, EVENT, type Stage, workOf } from "./stage.js";
import { repeat } from "./statistics.js";
import { table } from "./table.js";

/** With one event a request, and with several. */
type Way = "single" | "several";
/** What a measurement gives: a figure for each way, as it is shown. */
type Row = [what: string, single: string, several: string, must: string];

const CLICKS = 60;
const PACE_MS = 60;
const CLICK_SECONDS = 60;
const BACKLOG = 1_000;
const ANSWER_MS = 200;
const LEFT = 400;
const LOAD_SECONDS = 3;
const LOAD_ROUNDS = 5;

/** Members that a stamp adds. */
const STAMP = {
  event_id: "2f1c9d04-6a55-4b1e-8f0e-2b1c7f8a9d10",
  occurred_at: 1_790_000_000_000,
  event_source: "9d0f4c1e-0a15-43b1-9f0e-7c1c2f8a9d21",
  event_seq: 100,
};

/** Uses a page whose service has said, where it is asked, that it takes several. */
const visit = <T>({ visitTracked, event: { uid } }: Stage, way: Way, url: string, use: (page: Page) => Promise<T>) =>
  visitTracked(
    url,
    async (page) => {
      // The first is answered with the offer, the next two are the first that go together.
      for (const count of [1, 2]) {
        await page.evaluate(trackMany, { uid, params: {}, count });
        await waitFor(async () => (await eventKeys(page)).length === 0);
      }
      return use(page);
    },
    { stamp: way === "several" },
  );

/** The main thread's work of five `track()` in a click until they are delivered, to that of bare calls. */
const clicked = async (stage: Stage): Promise<Row> => {
  const event = { ...EVENT, params: { ...EVENT.params, ...STAMP } };
  const by = (who: Clicks["by"]) => async (page: Page) => {
    const run = { ...stage.event, event, by: who, paceMs: PACE_MS };
    const work = await workOf(page);
    await page.evaluate(clicks, { ...run, count: 10 });
    return work(() => page.evaluate(clicks, { ...run, count: CLICKS }));
  };
  const ratios: Record<Way, number[]> = { single: [], several: [] };
  await repeat(CLICK_SECONDS, async () => {
    const pace = await stage.visitBare(by("nobody"));
    const bare = await stage.visitBare(by("bare"));
    for (const way of ["single", "several"] as const)
      ratios[way].push(((await visit(stage, way, stage.service.url, by("tracklet"))) - pace) / (bare - pace));
  });
  const shown = (way: Way) =>
    `${median(ratios[way]).toFixed(2)} (${Math.min(...ratios[way]).toFixed(2)} to ${Math.max(...ratios[way]).toFixed(2)})`;
  const what = `five track() in a click, main thread, to five setItem and one fetch (${ratios.single.length} rounds)`;
  return [what, shown("single"), shown("several"), "≤ 1.3"];
};

/** How long a page takes to deliver what another one has left. */
const delivered = async (stage: Stage): Promise<Row> => {
  const { gateway } = stage;
  const seconds = async (way: Way): Promise<string> => {
    await gateway.fail("hang");
    const options = { stamp: way === "several" };
    const rows = await stage.visitTracked(
      gateway.url,
      async (page) => {
        await page.evaluate(trackMany, { uid: stage.event.uid, params: stage.event.params, count: BACKLOG });
        return page.evaluate(() => Object.entries(localStorage).filter(([key]) => /:event\d*:/.test(key)));
      },
      options,
    );
    await gateway.fail({ connection: "pass", delayMs: ANSWER_MS, preflight: "fault" });
    const { length } = gateway.posts();
    return stage.visitBare(async (page) => {
      await page.evaluate((all) => {
        for (const [key, row] of all) localStorage.setItem(key, row as string);
      }, rows);
      // Younger ones of another page are left to it, until a look some seconds later.
      const youngest = Math.max(...rows.map(([key]) => Number(key.split(":").pop())));
      await waitFor(() => Date.now() - youngest > FIRST_LEASE_MS);
      const began = performance.now();
      await page.goto(new URL("/tracked", page.url()).href);
      const stored = () =>
        gateway
          .posts()
          .slice(length)
          .reduce((sum, { status, events }) => sum + (status === 200 ? events.length : 0), 0);
      await waitFor(() => stored() >= BACKLOG, { timeoutMs: 300_000 });
      return `${((performance.now() - began) / 1_000).toFixed(1)} s`;
    });
  };
  const what = `${BACKLOG} events of an earlier page, ${ANSWER_MS} ms to each answer, until all are stored`;
  const row: Row = [what, await seconds("single"), await seconds("several"), "≤ 3 s"];
  await gateway.fail("pass");
  return row;
};

/** How many events arrive of those that a page tracks in the task that leaves it. */
const left = async (stage: Stage, bytes: number): Promise<Row> => {
  const { gateway } = stage;
  const begun = (way: Way): Promise<string> =>
    visit(stage, way, gateway.url, async (page) => {
      const stamp = way === "several" ? STAMP : {};
      const bare = { contact_uid: CONTACT, event_uid: "left", params: { account_uid: ACCOUNT, text: "", ...stamp } };
      const text = "x".repeat(bytes - JSON.stringify(bare).length);
      const before = gateway.posts().length;
      // Whatever is answered meanwhile makes room for more.
      await gateway.fail({ connection: "pass", delayMs: 1_000 });
      await leaveBy(
        page,
        `for (let i = 0; i < ${LEFT}; i++) tracklet.track("left", { text: "${text}" }); location.assign("/bare")`,
      );
      await gateway.quiet(1_500);
      await gateway.fail("pass");
      return `${gateway
        .posts()
        .slice(before)
        .reduce((sum, { events }) => sum + events.length, 0)}`;
    });
  const what = `events of ${bytes} bytes that a page begins when it is left`;
  return [what, await begun("single"), await begun("several"), "≥ 150"];
};

/** Events a second that the service takes, with the embedded database. */
const taken = async ({ service: { url } }: Stage): Promise<Row> => {
  const single: number[] = [];
  const ratios: number[] = [];
  for (let round = 0; round <= LOAD_ROUNDS; round += 1) {
    const { perSecond } = await post(url, LOAD_SECONDS);
    const batches = await postBatches(url, { duration: LOAD_SECONDS, size: 20, connections: 16 });
    // The first one warms it.
    if (round === 0) continue;
    single.push(perSecond);
    ratios.push(batches.perSecond / perSecond);
  }
  const what = `service, events a second with 20 in a request / single (${median(single).toFixed(0)} a second)`;
  return [what, "1", median(ratios).toFixed(1), "≥ 6"];
};

/** What is lost, and what comes twice in a way that the service can tell, and cannot, in all faults of `npm run compare`. */
const faults = async ({ browser }: Stage): Promise<Row> => {
  const sums = async (peer: typeof several): Promise<string> => {
    const script = await peer.script();
    const counts = await Promise.all(
      Object.values(FAULTS).map((fault) => measureFault(browser, peer, { script, fault })),
    );
    const sum = (of: (count: Count) => number) => counts.reduce((all, count) => all + of(count), 0);
    return `${sum(({ lost }) => lost)}, ${sum(({ unmarked }) => unmarked)}`;
  };
  const what = `fault runs, ${Object.keys(FAULTS).length} of 20 events: lost, stored twice`;
  return [what, await sums(plain), await sums(several), "0, 0"];
};

/** What it brings that events go in one request. */
export const benchBatches = async (stage: Stage): Promise<string> => {
  const rows: Row[] = [];
  for (const measure of [clicked, delivered, (one: Stage) => left(one, 300), taken, faults])
    rows.push(await measure(stage));
  return table([["", "one by one", "in one request", "must"], ...rows]);
};
