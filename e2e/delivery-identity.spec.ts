import type { Page } from "playwright/test";
import { controlClock } from "./harness/clock.js";
import { expect, test, track, trackMany } from "./harness/fixtures.js";
import { modulePage, problems } from "./harness/module.js";

/* Whom events belong to, over pages and tabs, and what happens to those that cannot be kept for ever. */

type Calls = { push: (call: unknown[]) => void };

const call = (page: Page, ...verb: unknown[]): Promise<void> =>
  page.evaluate((given) => {
    const host = window as unknown as { tracklet?: Calls };
    host.tracklet ??= [] as unknown[] as Calls;
    host.tracklet.push(given);
  }, verb);

/** Waits until the snippet has taken over: what is tracked from now on is in the queue when the call returns. */
const loaded = (page: Page) =>
  page.waitForFunction(() => "flush" in ((window as { tracklet?: object }).tracklet ?? {}));

const open = async (page: Page, url: string): Promise<void> => {
  await page.goto(url);
  await loaded(page);
};

test.describe("identify", () => {
  test.beforeEach(({ site }) => {
    for (const path of ["/", "/next"]) site.page(path, site.html({ identify: false }));
  });

  test("events tracked before get the contact added, and nothing else", async ({
    page,
    site,
    gateway,
    contact,
    expectRows,
  }) => {
    await open(page, site.url);
    await track(page, "bare");
    await track(page, "with_params", { plan: "team", account_uid: "own" });
    await page.goto(`${site.url}/next`);
    await track(page, "second_page");
    await loaded(page);
    expect(gateway.requests, "requests before the contact is known").toEqual([]);
    await call(page, "identify", contact, "account-1");
    await track(page, "known");
    const rows = await expectRows(["bare", "with_params", "second_page", "known"]);
    expect(Object.fromEntries(rows.map((row) => [row.event_uid, row.params]))).toEqual({
      bare: {},
      with_params: { plan: "team", account_uid: "own" },
      second_page: {},
      known: { account_uid: "account-1" },
    });
    for (const { event } of gateway.posts())
      expect(Object.keys(event!)).toEqual(["contact_uid", "event_uid", "params"]);
  });

  test("in another tab: the events of all tabs get the contact", async ({
    context,
    page,
    site,
    contact,
    expectRows,
  }) => {
    const other = await context.newPage();
    await open(page, site.url);
    await open(other, site.url);
    const here = await trackMany(page, 5, "here");
    const there = await trackMany(other, 5, "there");
    await call(other, "identify", contact);
    await expectRows([...here, ...there]);
  });

  test("is remembered by the next page, by another tab and by the next visit", async ({
    site,
    contact,
    launch,
    expectRows,
  }) => {
    const first = await launch();
    await open(first.page, site.url);
    await call(first.page, "identify", contact, "account-1");
    await track(first.page, "here");
    await first.page.goto(`${site.url}/next`);
    await track(first.page, "next_page");
    const tab = await first.context.newPage();
    await open(tab, site.url);
    await track(tab, "other_tab");
    await expectRows(["here", "next_page", "other_tab"]);
    await first.close();
    const second = await launch({ profile: first.profile });
    await open(second.page, site.url);
    await track(second.page, "next_visit");
    const rows = await expectRows(["here", "next_page", "other_tab", "next_visit"]);
    for (const { params } of rows) expect(params).toEqual({ account_uid: "account-1" });
  });

  test("replaces contact and account together; what is tracked already keeps its own", async ({
    page,
    site,
    service,
    gateway,
    contact,
    expectRows,
  }) => {
    const second = `${contact}-second`;
    await gateway.fail("reset");
    await open(page, site.url);
    await call(page, "identify", contact, "account-1");
    await track(page, "first");
    await track(page, "elsewhere", { account_uid: "account-9" });
    await call(page, "identify", second);
    await track(page, "second");
    await gateway.heal();
    const rows = await expectRows(["first", "elsewhere"]);
    expect(rows.map(({ params }) => params.account_uid)).toEqual(["account-1", "account-9"]);
    await expect
      .poll(async () =>
        (await service.rows({ contact_uid: second })).map(({ event_uid, params }) => [event_uid, params]),
      )
      .toEqual([["second", {}]]);
  });
});

test.describe("reset", () => {
  test.beforeEach(({ site }) => {
    for (const path of ["/", "/next"]) site.page(path, site.html({ identify: false }));
  });

  test("drops what never had a contact, in all tabs", async ({ context, page, site, contact, expectRows }) => {
    const other = await context.newPage();
    await open(page, site.url);
    await open(other, site.url);
    await trackMany(page, 3, "here");
    await trackMany(other, 3, "there");
    await call(page, "reset");
    await track(page, "here_after");
    await track(other, "there_after");
    await call(other, "identify", contact);
    await expectRows(["here_after", "there_after"]);
  });

  test("drops what a closed tab and an earlier page have left", async ({
    context,
    page,
    site,
    contact,
    expectRows,
  }) => {
    const other = await context.newPage();
    await open(other, site.url);
    await trackMany(other, 3, "closed");
    await other.close();
    await open(page, site.url);
    await trackMany(page, 3, "left");
    await page.goto(`${site.url}/next`);
    await call(page, "reset");
    await loaded(page);
    await call(page, "identify", contact);
    await track(page, "after");
    await expectRows(["after"]);
    await page.goto(site.url);
    await track(page, "later");
    await expectRows(["after", "later"]);
  });

  test("keeps what has its contact, and forgets who that was", async ({
    context,
    page,
    site,
    gateway,
    contact,
    expectRows,
  }) => {
    const other = await context.newPage();
    await gateway.fail("reset");
    await open(page, site.url);
    await open(other, site.url);
    await call(page, "identify", contact, "account-1");
    const addressed = await trackMany(page, 5, "addressed");
    await call(page, "reset");
    await track(page, "nobody");
    await track(other, "nobody_there");
    await gateway.heal();
    await expectRows(addressed);
    await page.goto(`${site.url}/next`);
    await track(page, "nobody_later");
    await loaded(page);
    await gateway.quiet();
    expect(gateway.posts().filter(({ event }) => event?.event_uid?.startsWith("nobody"))).toEqual([]);
    await call(page, "identify", contact);
    const rows = await expectRows([...addressed, "nobody", "nobody_there", "nobody_later"]);
    for (const { event_uid, params } of rows)
      expect(params).toEqual(event_uid.startsWith("addressed") ? { account_uid: "account-1" } : {});
  });
});

test.describe("bounds", () => {
  const evicted = async (page: Page) => (await problems(page)).filter(({ code }) => code === "evicted");
  const uids = (prefix: string, from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, index) => `${prefix}-${from + index}`);

  test("maxEvents: the oldest are evicted and reported, each once", async ({
    page,
    site,
    gateway,
    contact,
    expectRows,
  }) => {
    site.page("/", modulePage(site, { trackUrl: gateway.url, contactUid: contact, maxEvents: 10 }));
    await gateway.fail("reset");
    await open(page, site.url);
    await trackMany(page, 25, "event");
    await gateway.heal();
    await expectRows(uids("event", 16, 25));
    const told = await evicted(page);
    expect(told.map(({ event }) => event?.event_uid)).toEqual(uids("event", 1, 15));
    for (const { event } of told) expect(event).toMatchObject({ contact_uid: contact, params: {} });
  });

  test("maxEvents holds for what an earlier page has left, too", async ({
    page,
    site,
    gateway,
    contact,
    expectRows,
  }) => {
    const html = modulePage(site, { trackUrl: gateway.url, contactUid: contact, maxEvents: 10 });
    for (const path of ["/", "/next"]) site.page(path, html);
    await gateway.fail("reset");
    await open(page, site.url);
    await trackMany(page, 8, "old");
    await gateway.waitForPosts(1);
    await page.goto(`${site.url}/next`);
    await trackMany(page, 8, "new");
    await expect
      .poll(async () => (await evicted(page)).map(({ event }) => event?.event_uid))
      .toEqual(uids("old", 1, 6));
    await gateway.heal();
    await expectRows([...uids("old", 7, 8), ...uids("new", 1, 8)]);
  });

  test("maxBytes counts bytes in UTF-8", async ({ page, site, gateway, contact, expectRows }) => {
    site.page("/", modulePage(site, { trackUrl: gateway.url, contactUid: contact, maxBytes: 10_000 }));
    await gateway.fail("reset");
    await open(page, site.url);
    await page.evaluate(() => {
      const { tracklet } = window as unknown as { tracklet: { track: (uid: string, params: object) => void } };
      // 3 bytes each: two of these events fit, not three.
      for (let index = 1; index <= 5; index++) tracklet.track(`event-${index}`, { text: "€".repeat(1_200) });
    });
    await gateway.heal();
    await expectRows(uids("event", 4, 5));
    expect((await evicted(page)).map(({ event }) => event?.event_uid)).toEqual(uids("event", 1, 3));
  });

  test("maxAgeMs: what waits for longer is evicted and reported", async ({
    context,
    page,
    site,
    gateway,
    contact,
    expectRows,
  }) => {
    const clock = await controlClock(context);
    const html = modulePage(site, { trackUrl: gateway.url, contactUid: contact, maxAgeMs: 3_600_000 });
    for (const path of ["/", "/next"]) site.page(path, html);
    await gateway.fail("reset");
    await open(page, site.url);
    await trackMany(page, 3, "old");
    await gateway.waitForPosts(1);
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

  test("100 events without a contact: the oldest of them are evicted, never an addressed one", async ({
    page,
    site,
    gateway,
    contact,
    expectRows,
  }) => {
    site.page("/", modulePage(site, { trackUrl: gateway.url, contactUid: contact, maxEvents: 20 }));
    await gateway.fail("reset");
    await open(page, site.url);
    await page.evaluate((uid) => {
      const { tracklet } = window as unknown as { tracklet: Record<string, (uid?: string) => void> };
      for (let index = 1; index <= 20; index++) tracklet.track!(`addressed-${index}`);
      tracklet.reset!();
      for (let index = 1; index <= 105; index++) tracklet.track!(`waiting-${index}`);
      tracklet.identify!(uid);
    }, contact);
    await gateway.heal();
    await expectRows([...uids("addressed", 1, 20), ...uids("waiting", 6, 105)]);
    const told = await evicted(page);
    expect(told, "one report a page").toHaveLength(1);
    expect(told[0]!.event).toEqual({ event_uid: "waiting-1", params: {} });
  });
});
