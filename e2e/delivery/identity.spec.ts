import type { Page } from "playwright/test";
import { expect, test, track, trackMany } from "../harness/fixtures.js";
import { bringInStep } from "../harness/in-step.js";
import { loaded, open } from "../harness/install.js";

/* Whom events belong to, over pages and tabs. */

const call = (page: Page, ...verb: unknown[]): Promise<void> =>
  page.evaluate((given) => {
    window.tracklet ??= [] as never;
    window.tracklet.push(given);
  }, verb);

test.describe("identify", () => {
  test.beforeEach(({ site }) => {
    for (const path of ["/", "/next"]) site.page(path, site.html({ identify: false }));
  });

  test("events tracked before get its contact and account", async ({ page, site, gateway, contact, expectRows }) => {
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
      bare: { account_uid: "account-1" },
      with_params: { plan: "team", account_uid: "own" },
      second_page: { account_uid: "account-1" },
      known: { account_uid: "account-1" },
    });
    for (const { event } of gateway.posts())
      expect(Object.keys(event!)).toEqual(["contact_uid", "event_uid", "params"]);
  });

  test("in another tab gives the events of all tabs a contact", async ({
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

  test("is remembered by pages, tabs and the next visit", { tag: "@core" }, async ({
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

  test("replaces contact and account together, not of earlier events", async ({
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
    expect(Object.fromEntries(rows.map(({ event_uid, params }) => [event_uid, params.account_uid]))).toEqual({
      first: "account-1",
      elsewhere: "account-9",
    });
    await expect
      .poll(async () => (await service.rows(second)).map(({ event_uid, params }) => [event_uid, params]))
      .toEqual([["second", {}]]);
  });
});

test.describe("reset", () => {
  test.beforeEach(({ site }) => {
    for (const path of ["/", "/next"]) site.page(path, site.html({ identify: false }));
  });

  test("drops what has no contact, in all tabs", { tag: "@core" }, async ({
    context,
    page,
    site,
    contact,
    expectRows,
  }) => {
    const other = await context.newPage();
    await open(page, site.url);
    await open(other, site.url);
    await trackMany(page, 3, "here");
    await trackMany(other, 3, "there");
    await call(page, "reset");
    await track(page, "here_after");
    await bringInStep(page, other);
    await track(other, "there_after");
    await call(other, "identify", contact);
    await expectRows(["here_after", "there_after"]);
  });

  test("drops what a closed tab and an earlier page left", async ({ context, page, site, contact, expectRows }) => {
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

  test("keeps what has a contact, and forgets who it was", async ({
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
    await bringInStep(page, other);
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

  test("keeps what has got its contact in an outage", async ({ page, site, gateway, contact, expectRows }) => {
    await gateway.fail("reset");
    await open(page, site.url);
    const uids = await trackMany(page, 3);
    await call(page, "identify", contact, "account-1");
    await gateway.waitForPosts(1);
    await call(page, "reset");
    await track(page, "nobody");
    await gateway.heal();
    const rows = await expectRows(uids);
    for (const { params } of rows) expect(params).toEqual({ account_uid: "account-1" });
  });
});
