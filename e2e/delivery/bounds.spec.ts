import type { Page } from "playwright/test";
import { expect, test, track, trackMany } from "../harness/fixtures.js";
import { open, run } from "../harness/install.js";
import { problems } from "../harness/module.js";
import { waitForBackOff } from "../harness/outage.js";

/* What happens to events that cannot be kept for ever. */

test.describe("bounds", () => {
  const evicted = async (page: Page) => (await problems(page)).filter(({ code }) => code === "evicted");
  const uids = (prefix: string, from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, index) => `${prefix}-${from + index}`);

  test("maxEvents evicts and reports the oldest", { tag: "@core" }, async ({
    page,
    site,
    gateway,
    contact,
    app,
    expectRows,
  }) => {
    app({ maxEvents: 10 });
    await gateway.fail("reset");
    await open(page, site.url);
    await trackMany(page, 25, "event");
    await gateway.heal();
    await expectRows(uids("event", 16, 25));
    const told = await evicted(page);
    expect(told.map(({ event }) => event?.event_uid)).toEqual(uids("event", 1, 15));
    for (const { event } of told) expect(event).toMatchObject({ contact_uid: contact, params: {} });
  });

  test("maxEvents holds for what an earlier page has left, too", async ({ page, site, gateway, app, expectRows }) => {
    app({ maxEvents: 10 });
    await gateway.fail("reset");
    await open(page, site.url);
    await trackMany(page, 8, "old");
    await waitForBackOff(page);
    await page.goto(`${site.url}/next`);
    await trackMany(page, 8, "new");
    await expect
      .poll(async () => (await evicted(page)).map(({ event }) => event?.event_uid))
      .toEqual(uids("old", 1, 6));
    await gateway.heal();
    await expectRows([...uids("old", 7, 8), ...uids("new", 1, 8)]);
  });

  test("maxBytes counts bytes in UTF-8", async ({ page, site, gateway, app, expectRows }) => {
    app({ maxBytes: 10_000 });
    await gateway.fail("reset");
    await open(page, site.url);
    await page.evaluate(() => {
      const { tracklet } = window;
      // 3 bytes each: two of these events fit, not three.
      for (let index = 1; index <= 5; index++) tracklet.track(`event-${index}`, { text: "€".repeat(1_200) });
    });
    await gateway.heal();
    await expectRows(uids("event", 4, 5));
    expect((await evicted(page)).map(({ event }) => event?.event_uid)).toEqual(uids("event", 1, 3));
  });

  test("maxBytes: an event that is larger is evicted alone", async ({ page, site, gateway, app, expectRows }) => {
    app({ maxBytes: 10_000 });
    await gateway.fail("reset");
    await open(page, site.url);
    await trackMany(page, 10, "event");
    await track(page, "large", { text: "x".repeat(10_000) });
    await gateway.heal();
    await expectRows(uids("event", 1, 10));
    expect((await evicted(page)).map(({ event }) => event?.event_uid)).toEqual(["large"]);
  });

  test("maxAgeMs evicts and reports what waits for longer", async ({ clock, page, site, gateway, app, expectRows }) => {
    app({ maxAgeMs: 3_600_000 });
    await gateway.fail("reset");
    await open(page, site.url);
    await trackMany(page, 3, "old");
    await waitForBackOff(page);
    await clock.shift(1_800_000);
    await trackMany(page, 3, "young");
    // Nobody looks after the queue while it grows older.
    site.page("/bare", site.html({ tag: false }));
    await page.goto(`${site.url}/bare`);
    await clock.shift(5_000_000);
    await gateway.heal();
    await open(page, `${site.url}/next`);
    await expectRows(uids("young", 1, 3));
    expect((await evicted(page)).map(({ event }) => event?.event_uid)).toEqual(uids("old", 1, 3));
  });

  test("100 events without a contact evict their oldest, no addressed ones", async ({
    page,
    site,
    gateway,
    contact,
    app,
    expectRows,
  }) => {
    app({ maxEvents: 100 });
    await gateway.fail("reset");
    await open(page, site.url);
    await page.evaluate(() => {
      const { tracklet } = window;
      for (let index = 1; index <= 20; index++) tracklet.track!(`addressed-${index}`);
      tracklet.reset!();
      for (let index = 1; index <= 105; index++) tracklet.track!(`waiting-${index}`);
    });
    await expect.poll(() => evicted(page)).not.toEqual([]);
    await gateway.heal();
    await expectRows(uids("addressed", 1, 20));
    await run(page, `tracklet.identify(${JSON.stringify(contact)})`);
    await expectRows([...uids("addressed", 1, 20), ...uids("waiting", 6, 105)]);
    const told = await evicted(page);
    expect(told, "one report a page").toHaveLength(1);
    expect(told[0]!.event).toEqual({ event_uid: "waiting-1", params: {} });
  });
});
