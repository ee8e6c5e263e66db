import type { Frame, Page } from "playwright/test";
import { type ExitStage, visitLast } from "../harness/exits.js";
import { fillStorage } from "../harness/fill-storage.js";
import { expect, test, track, trackMany } from "../harness/fixtures.js";
import { trackAndLeave } from "../harness/leave.js";
import { waitForBackOff } from "../harness/outage.js";

/* Delivery where the page's storage is of no use. */

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
  "absent: there is no such global": () => {
    delete (window as { localStorage?: Storage }).localStorage;
  },
  "absent: it is null": () => {
    Object.defineProperty(window, "localStorage", { value: null });
  },
  full: fillStorage,
};

/** Some events while the service is well, and some in an outage. */
const deliver = async (
  { page, gateway, expectRows }: Pick<ExitStage, "page" | "gateway" | "expectRows">,
  tab: Page | Frame = page,
): Promise<void> => {
  const healthy = await trackMany(tab, 50, "healthy");
  await expectRows(healthy);
  const down = await gateway.during("refuse", async () => {
    const failed = page.waitForEvent("requestfailed");
    const tracked = await trackMany(tab, 50, "down");
    await failed;
    return tracked;
  });
  await expectRows([...healthy, ...down]);
  expect(gateway.posts(), "one request an event").toHaveLength(100);
};

for (const [lack, init] of Object.entries(LACKS)) {
  test(`localStorage ${lack}: events arrive, also after an outage`, async ({ stage, page, site }) => {
    await page.addInitScript(init);
    await page.goto(site.url);
    await deliver(stage);
  });

  test(`localStorage ${lack}: what comes last leaves with the page`, async ({ page, site, gateway, expectRows }) => {
    await page.addInitScript(init);
    await page.goto(site.url);
    const uids = await trackMany(page, 20);
    await page.goto("about:blank");
    await expectRows(uids);
    uids.push(await visitLast({ page, site }));
    await expectRows(uids);
    expect(gateway.posts(), "one request an event").toHaveLength(uids.length);
  });
}

test("localStorage denied by the browser itself, in a sandboxed frame", async ({ page, site, stage }) => {
  site.page("/outside", site.html({ tag: false, body: '<iframe sandbox="allow-scripts" src="/inside"></iframe>' }));
  await page.goto(`${site.url}/outside`);
  const frame = page.frames().find((one: Frame) => one !== page.mainFrame())!;
  await frame.waitForLoadState();
  const name = await frame.evaluate(() => {
    try {
      return typeof localStorage;
    } catch (error) {
      return (error as Error).name;
    }
  });
  expect(name).toBe("SecurityError");
  await deliver(stage, frame);
});

const trackWhileDown = async (page: Page, count: number): Promise<string[]> => {
  const uids = await trackMany(page, count);
  await waitForBackOff(page);
  return uids;
};

for (const [what, spoil] of [
  ["fills up", fillStorage],
  ["is emptied", () => localStorage.clear()],
] as const)
  test(`localStorage ${what} while events are queued: all arrive`, async ({ page, site, gateway, expectRows }) => {
    await page.goto(site.url);
    const uids = await gateway.during("refuse", async () => {
      const before = await trackWhileDown(page, 30);
      await page.evaluate(spoil);
      return [...before, ...(await trackMany(page, 10, "later"))];
    });
    await expectRows(uids);
    expect(gateway.posts(), "one request an event").toHaveLength(uids.length);
  });

test("localStorage has room again: later events outlive the page", async ({ page, site, gateway, expectRows }) => {
  await page.goto(site.url);
  await page.evaluate(fillStorage);
  const uids = await gateway.during("refuse", async () => {
    const failed = page.waitForEvent("requestfailed");
    await track(page, "first");
    await failed;
    await page.evaluate(() => localStorage.removeItem("filler"));
    const tracked = await trackMany(page, 20);
    await page.goto("about:blank");
    return tracked;
  });
  uids.push(await visitLast({ page, site }));
  // Nothing could keep the first one for another page.
  const stored = await expectRows((rows) => {
    const names = rows.map(({ event_uid }) => event_uid).filter((uid) => uid !== "first");
    expect(names.toSorted()).toEqual(uids.toSorted());
  });
  expect(new Set(stored.map(({ event_uid }) => event_uid)).size, "each once").toBe(stored.length);
});

/** Rows that no version of the snippet has written, or that were cut short. */
const CORRUPT: Record<string, string> = {
  "tracklet:": "",
  "tracklet:event": "{}",
  "tracklet:event:": "{}",
  "tracklet:event:gone:1000000:9999999999999": '{"contact_uid":"someone","event_uid":"cut","par',
  "tracklet:event:gone:1000001:9999999999999": "",
  "tracklet:event:gone:1000002:9999999999999": "null",
  "tracklet:event:gone:1000003:9999999999999": "[]",
  "tracklet:event:gone:1000004:9999999999999": '"text"',
  "tracklet:event:gone:1000005:9999999999999": "!",
  "tracklet:event:gone:1000006:9999999999999": '!1700000000000{"cut',
  "tracklet:event:gone": "\u0000\uffff",
  "tracklet:event:::::": "{]",
  "tracklet:event:other:not a number:nor this": "garbage",
  "tracklet:tab:": "0",
  "tracklet:tab:gone": "not a time",
  "tracklet:tab:empty": "",
  "tracklet:backoff": "garbage",
  "tracklet:adopter": "gone",
  "tracklet:identity": '{"epoch":',
  "tracklet:consent": "\ud800",
  tracklet: "{",
};

test("localStorage holds corrupt rows: the events alone arrive", async ({ page, site, gateway, expectRows }) => {
  site.page("/prepare", site.html({ tag: false }));
  await page.goto(`${site.url}/prepare`);
  await page.evaluate((rows) => {
    for (const [key, value] of Object.entries(rows)) localStorage.setItem(key, value);
  }, CORRUPT);
  await page.goto(site.url);
  const uids = await trackMany(page, 50);
  uids.push(await visitLast({ page, site }));
  await expectRows(uids);
  expect(gateway.posts(), "one request an event, none for a corrupt row").toHaveLength(uids.length);
});

test("localStorage holds a row cut short: the good ones arrive", async ({ page, site, gateway, expectRows }) => {
  await page.goto(site.url);
  const uids = await gateway.during("refuse", async () => {
    const tracked = await trackWhileDown(page, 20);
    await page.goto("about:blank");
    return tracked;
  });
  site.page("/prepare", site.html({ tag: false }));
  await page.goto(`${site.url}/prepare`);
  const cut = await page.evaluate(() => {
    const keys = Object.keys(localStorage).filter((key) => localStorage.getItem(key)!.includes('"event-7"'));
    for (const key of keys) localStorage.setItem(key, localStorage.getItem(key)!.slice(0, -5));
    return keys.length;
  });
  expect(cut, "rows cut short").toBe(1);
  const good = uids.filter((uid) => uid !== "event-7");
  good.push(await visitLast({ page, site }));
  await expectRows(good);
  expect(gateway.posts(), "one request an event").toHaveLength(good.length);
});

test("localStorage is emptied in an outage, and the page left", async ({ page, site, gateway, expectRows }) => {
  await page.goto(site.url);
  const uids = await gateway.during("refuse", async () => {
    // More than a page may send while it is left.
    const tracked = await trackWhileDown(page, 40);
    // As at a log-out.
    await trackAndLeave(page, ["logout"], `localStorage.clear(); location.assign("/next")`);
    await page.waitForURL(`${site.url}/next`);
    await waitForBackOff(page);
    return [...tracked, "logout"];
  });
  await expectRows(uids);
});

test("localStorage is emptied by another tab: all arrive", async ({ context, site, gateway, expectRows }) => {
  const [one, two, other] = [await context.newPage(), await context.newPage(), await context.newPage()];
  site.page("/other", site.html({ tag: false }));
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

test("localStorage is emptied while requests are under way", async ({ page, site, gateway, expectRows }) => {
  await page.goto(site.url);
  const uids = await gateway.during({ connection: "pass", delayMs: 500 }, async () => {
    const tracked = await trackMany(page, 10);
    await gateway.waitForPosts(1);
    await page.evaluate(() => localStorage.clear());
    return tracked;
  });
  uids.push(await visitLast({ page, site }));
  await expectRows(uids);
  expect(gateway.posts(), "one request an event").toHaveLength(uids.length);
});
