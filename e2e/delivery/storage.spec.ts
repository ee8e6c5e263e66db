import { fillStorage } from "../harness/fill-storage.js";
import { expect, test, trackMany, visitLast } from "../harness/fixtures.js";
import { waitForBackOff } from "../harness/outage.js";
import { runAndGo } from "../harness/tab.js";
import { trackCalls } from "../harness/track.js";

/* Delivery where the page's storage is of no use, or is emptied by the page. */

/** Ways in which a page has no storage; each runs before any script of the page. */
const LACKS: Record<string, () => void> = {
  "denied: the getter throws": () => {
    Object.defineProperty(window, "localStorage", {
      get: () => {
        throw new DOMException("The operation is insecure.", "SecurityError");
      },
    });
  },
  "denied: every method throws": () => {
    for (const method of ["getItem", "setItem", "removeItem", "key", "clear"] as const)
      Storage.prototype[method] = () => {
        throw new DOMException("Access is denied.", "SecurityError");
      };
  },
  "absent: it is null": () => {
    Object.defineProperty(window, "localStorage", { value: null });
  },
  full: fillStorage,
};

for (const [lack, init] of Object.entries(LACKS))
  test(`localStorage is ${lack}: events arrive, also after an outage and as the page is left`, async ({
    page,
    site,
    gateway,
    expectRows,
  }) => {
    await page.addInitScript(init);
    await page.goto(site.url);
    const uids = await trackMany(page, 20, "healthy");
    await expectRows(uids);
    await gateway.during("refuse", async () => {
      const failed = page.waitForEvent("requestfailed");
      uids.push(...(await trackMany(page, 20, "down")));
      await failed;
    });
    await expectRows(uids);
    uids.push(...(await trackMany(page, 20, "leaving")));
    await page.goto("about:blank");
    await expectRows(uids);
    uids.push(await visitLast(page, site));
    await expectRows(uids);
    expect(gateway.posts(), "one request an event").toHaveLength(uids.length);
  });

test("localStorage fills up while events are queued: all arrive", async ({ page, site, gateway, expectRows }) => {
  await page.goto(site.url);
  const uids = await gateway.during("refuse", async () => {
    const before = await trackMany(page, 30);
    await waitForBackOff(page);
    await page.evaluate(fillStorage);
    return [...before, ...(await trackMany(page, 10, "later"))];
  });
  await expectRows(uids);
  expect(gateway.posts(), "one request an event").toHaveLength(uids.length);
});

test("localStorage is emptied in an outage, and the page left", async ({ page, site, gateway, expectRows }) => {
  await page.goto(site.url);
  const uids = await gateway.during("refuse", async () => {
    // More than a page may send while it is left.
    const tracked = await trackMany(page, 40);
    await waitForBackOff(page);
    // As at a log-out.
    await runAndGo(page, `${trackCalls(["logout"])} localStorage.clear(); location.assign("/next")`);
    await page.waitForURL(`${site.url}/next`);
    await waitForBackOff(page);
    return [...tracked, "logout"];
  });
  await expectRows(uids);
});

test("localStorage is emptied by another tab: all arrive", async ({ context, site, gateway, expectRows }) => {
  const [one, two, other] = [await context.newPage(), await context.newPage(), await context.newPage()];
  site.page("/other", { tag: false });
  await Promise.all([one.goto(site.url), two.goto(site.url), other.goto(`${site.url}/other`)]);
  const uids = await gateway.during("refuse", async () => {
    const failed = context.waitForEvent("requestfailed");
    const tracked = [...(await trackMany(one, 20, "one")), ...(await trackMany(two, 20, "two"))];
    await failed;
    await other.evaluate(() => localStorage.clear());
    return tracked;
  });
  await expectRows(uids);
  expect(gateway.posts(), "one request an event").toHaveLength(uids.length);
});
