import type { BrowserContext, Page } from "playwright/test";
import { readmeBlocks } from "../../test/support/readme.js";
import { fillStorage } from "../harness/fill-storage.js";
import { expect, test } from "../harness/fixtures.js";
import { bringInStep } from "../harness/in-step.js";
import { judge, loaded, localise, open, run } from "../harness/install.js";
import { waitForBackOff } from "../harness/outage.js";
import { DEMO_TOKEN } from "../harness/tag.js";

/* What the visitor allows: on the storage, and by the requests that are made, preflights included. */

const CHOICE = "tracklet:consent";
const stored = (page: Page): Promise<string[]> =>
  page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith("tracklet:")));
const choice = (page: Page): Promise<string | null> => page.evaluate((key) => localStorage.getItem(key), CHOICE);

const another = async (context: BrowserContext, url: string): Promise<Page> => open(await context.newPage(), url);

test.beforeEach(({ site }) => site.configure({ pageviews: "auto" }));

test.describe("pending", () => {
  test.beforeEach(({ site }) => site.configure({ consent: "pending" }));

  test("nothing is stored or sent, over pages, tabs and exits", async ({ page, context, site, gateway }) => {
    await open(page, site.url);
    await run(page, `tracklet.track("a"); tracklet.identify("x"); history.pushState({}, "", "/b")`);
    await page.reload();
    await loaded(page);
    const other = await another(context, `${site.url}/other`);
    await run(other, `tracklet.track("b")`);
    await run(page, `tracklet.track("c")`);
    expect(await page.evaluate(() => window.tracklet.flush())).toEqual({ delivered: 0, queued: 2, dropped: 0 });
    await other.close({ runBeforeUnload: true });
    await page.goto("about:blank");
    await gateway.quiet();
    expect(gateway.requests).toEqual([]);
    await open(page, site.url);
    expect(await stored(page)).toEqual([]);
  });

  test("optIn stores and sends what waited, each as it was, and holds", async ({ page, context, site, expectRows }) => {
    await open(page, site.url);
    await run(page, `tracklet.track("a"); history.pushState({}, "", "/b"); tracklet.track("c")`);
    const other = await another(context, `${site.url}/other`);
    await run(page, `tracklet.optIn()`);
    expect(await choice(page)).toBe("granted");
    const views = (url: unknown) => String(url ?? "").replace(site.url, "");
    const by = ({ event_uid, params }: { event_uid: string; params: Record<string, unknown> }) =>
      event_uid === "pageview" ? views(params.visit_url) : event_uid;
    await expectRows(["/", "a", "/b", "c", "/other"], { by });
    await run(other, `tracklet.track("there")`);
    await open(page, `${site.url}/next`);
    await expectRows(["/", "a", "/b", "c", "/other", "there", "/next"], { by });
  });

  test("optIn after a log-out in one tab brings no contact back", async ({
    page,
    context,
    site,
    gateway,
    contact,
    expectRows,
  }) => {
    await open(page, site.url);
    const other = await another(context, `${site.url}/other`);
    // A view is of whoever is named when it is judged.
    for (const tab of [page, other]) await judge(tab);
    await run(page, `tracklet.reset(); tracklet.optIn()`);
    // The view of the other tab is sent: it has followed.
    await gateway.waitForPosts(2, "pageview");
    await run(page, `tracklet.track("nobody")`);
    await gateway.quiet();
    expect(gateway.posts("nobody")).toEqual([]);
    await run(other, `tracklet.identify(${JSON.stringify(contact)})`);
    await expectRows(["pageview", "pageview", "nobody"]);
  });

  test("optOut forgets what waited, and holds on all pages and tabs", async ({ page, context, site, gateway }) => {
    await open(page, site.url);
    const other = await another(context, site.url);
    await run(page, `tracklet.track("a"); tracklet.optOut(); tracklet.track("b")`);
    await run(other, `tracklet.track("c")`);
    await open(page, `${site.url}/next`);
    await run(page, `tracklet.track("d")`);
    const third = await another(context, site.url);
    await run(third, `tracklet.track("e")`);
    await gateway.quiet();
    expect(gateway.requests).toEqual([]);
    for (const tab of [page, other, third]) expect(await stored(tab)).toEqual([CHOICE]);
    expect(await choice(page)).toBe("denied");
  });
});

test.describe("granted", () => {
  test("optOut holds in a tab that is left before it has heard of it", async ({ page, context, site, gateway }) => {
    await gateway.fail({ status: 503, retryAfter: 3_600 });
    // It stands before the snippet, which so hears nothing.
    const deaf = `<script>addEventListener("storage", (event) => event.stopImmediatePropagation(), true)</script>`;
    site.page("/deaf", site.html({ head: deaf }));
    site.page("/bare", site.html({ tag: false }));
    await open(page, site.url);
    const other = await another(context, `${site.url}/deaf`);
    await run(other, `for (let i = 0; i < 20; i++) tracklet.track("there")`);
    await waitForBackOff(other);
    await run(page, "tracklet.optOut()");
    await bringInStep(page, other);
    await other.goto(`${site.url}/bare`);
    expect((await stored(other)).filter((key) => key !== CHOICE)).toEqual([]);
    await gateway.quiet();
    expect(gateway.posts().filter(({ forwarded }) => forwarded)).toEqual([]);
  });

  test("optOut in an outage forgets what waits in all tabs", async ({ page, context, site, gateway }) => {
    await gateway.fail({ status: 503, retryAfter: 3_600 });
    await open(page, site.url);
    const other = await another(context, site.url);
    await run(page, `tracklet.track("a")`);
    await run(other, `tracklet.track("b")`);
    await waitForBackOff(page);
    await gateway.quiet();
    const before = gateway.requests.length;
    await gateway.heal();
    await run(page, `tracklet.optOut()`);
    await expect.poll(() => stored(other)).toEqual([CHOICE]);
    await run(other, `tracklet.track("c")`);
    for (const tab of [page, other]) {
      await tab.reload();
      await loaded(tab);
    }
    await gateway.quiet();
    expect(gateway.requests.length).toBe(before);
    expect(await stored(page)).toEqual([CHOICE]);
  });

  test("optOut holds on the next page although the storage was full", async ({ page, site, gateway, expectRows }) => {
    await open(page, site.url);
    await expectRows(["pageview"]);
    await page.evaluate(fillStorage);
    await run(page, `tracklet.optOut()`);
    await open(page, `${site.url}/next`);
    await run(page, `tracklet.track("a")`);
    await gateway.quiet();
    await expectRows(["pageview"]);
    expect(await choice(page)).toBe("denied");
  });

  test("optOut, then optIn: what comes then is sent", async ({ page, site, contact, expectRows }) => {
    await open(page, site.url);
    await expectRows(["pageview"]);
    await run(
      page,
      `tracklet.optOut(); tracklet.track("a"); tracklet.identify(${JSON.stringify(contact)}); tracklet.optIn(); tracklet.track("b")`,
    );
    await expectRows(["pageview", "b"]);
    await open(page, `${site.url}/next`);
    await expectRows(["pageview", "b", "pageview"]);
  });
});

test.describe("denied by the configuration", () => {
  test("nothing is stored or sent, whatever was chosen", async ({ page, context, site, gateway, expectRows }) => {
    await open(page, site.url);
    await run(page, `tracklet.optIn()`);
    await expectRows(["pageview"]);
    const before = gateway.requests.length;
    site.configure({ consent: "denied" });
    const other = await another(context, site.url);
    await run(other, `tracklet.track("a"); tracklet.optIn(); tracklet.track("b")`);
    await other.reload();
    await loaded(other);
    await gateway.quiet();
    expect(gateway.requests.length).toBe(before);
    expect(await stored(other)).toEqual([CHOICE]);
  });
});

test.describe("Global Privacy Control", () => {
  test.beforeEach(({ context }) =>
    context.addInitScript(() =>
      Object.defineProperty(Navigator.prototype, "globalPrivacyControl", { get: () => true }),
    ),
  );
  test("with respectGpc is a refusal", async ({ page, site, gateway }) => {
    site.configure({ attributes: { "data-respect-gpc": "" } });
    await open(page, site.url);
    await run(page, `tracklet.track("a"); tracklet.optIn(); tracklet.track("b")`);
    await page.reload();
    await loaded(page);
    await gateway.quiet();
    expect([gateway.requests, await stored(page)]).toEqual([[], [CHOICE]]);
  });
  test("without it is none", async ({ page, site, expectRows }) => {
    await open(page, site.url);
    await expectRows(["pageview"]);
  });
});

for (const button of ["Allow", "Refuse"])
  test(`the README's example: ${button}`, async ({ page, site, gateway }) => {
    const [example] = await readmeBlocks("Consent", "html");
    site.page("/", site.html({ tag: false, body: localise(example!, DEMO_TOKEN, gateway.url) }));
    await open(page, site.url);
    await run(page, `tracklet.identify("contact-readme")`);
    await page.getByRole("button", { name: button }).click();
    if (button === "Allow") await gateway.waitForPosts(1, "pageview");
    await gateway.quiet();
    expect(gateway.requests.length > 0).toBe(button === "Allow");
    expect(await choice(page)).toBe(button === "Allow" ? "granted" : "denied");
    await expect(page.locator("#banner")).toBeHidden();
    await open(page, site.url);
    await expect(page.locator("#banner")).toBeHidden();
  });
