import type { Page } from "playwright/test";
import { expect, test, track, trackMany } from "../harness/fixtures.js";
import { open } from "../harness/install.js";

/* A page on which nothing waits, or nothing that could be sent: it sets no timer and touches no storage. */

interface Counts {
  timers: number;
  accesses: number;
}

/** Counts, from the start of each page, what sets a timer and what touches the storage, by a method or by a name. */
const count = (): void => {
  const counts: Counts = { timers: 0, accesses: 0 };
  const host = window as unknown as Record<string, (...args: unknown[]) => unknown>;
  Object.assign(window, { counts });
  for (const name of ["setTimeout", "setInterval", "requestAnimationFrame", "requestIdleCallback"]) {
    const original = host[name]!;
    host[name] = (...args) => {
      counts.timers++;
      return original.apply(window, args);
    };
  }
  const touch = () => void counts.accesses++;
  for (const name of ["getItem", "setItem", "removeItem", "key", "clear"] as const) {
    const original = Storage.prototype[name] as (...args: unknown[]) => unknown;
    Object.assign(Storage.prototype, {
      [name](this: Storage, ...args: unknown[]) {
        touch();
        return original.apply(real, args);
      },
    });
  }
  const real = window.localStorage;
  const counted = new Proxy(real, {
    get: (_, key) => {
      if (!(key in Storage.prototype)) touch();
      const value = Reflect.get(real, key);
      return typeof value === "function" ? value.bind(real) : value;
    },
    set: (_, key, value) => {
      touch();
      return Reflect.set(real, key, value);
    },
    has: (_, key) => {
      touch();
      return key in real;
    },
    deleteProperty: (_, key) => {
      touch();
      return Reflect.deleteProperty(real, key);
    },
    ownKeys: () => {
      touch();
      return Reflect.ownKeys(real);
    },
  });
  Object.defineProperty(window, "localStorage", { configurable: true, get: () => counted });
};

const countsOf = (page: Page): Promise<Counts> =>
  page.evaluate(() => ({ ...(window as unknown as { counts: Counts }).counts }));

/** What was counted while a minute of the page's clock went by. */
const restForAMinute = async (page: Page): Promise<Counts> => {
  const now = () => page.evaluate(() => Date.now());
  // What belongs to the load, and to the last answer, comes to its end.
  await page.clock.pauseAt((await now()) + 2_000);
  await page.evaluate(() =>
    Object.assign((window as unknown as { counts: Counts }).counts, { timers: 0, accesses: 0 }),
  );
  await page.clock.runFor(60_000);
  const counts = await countsOf(page);
  await page.clock.resume();
  return counts;
};

test.beforeEach(async ({ page, site }) => {
  site.configure({ pageviews: "auto" });
  await page.clock.install({ time: Date.now() });
  await page.addInitScript(count);
});

test("A page whose events are delivered is at rest", async ({ page, site, expectRows }) => {
  await open(page, site.url);
  await track(page, "delivered");
  await expectRows(["pageview", "delivered"]);
  expect(await restForAMinute(page)).toEqual({ timers: 0, accesses: 0 });
  // It is still there.
  await track(page, "after");
  await expectRows(["pageview", "delivered", "after"]);
  const counts = await countsOf(page);
  expect(Math.min(counts.timers, counts.accesses), "what an event takes is counted").toBeGreaterThan(0);
});

test("A page whose visitor is unknown is at rest while events wait", async ({ page, site, contact, expectRows }) => {
  site.page("/", site.html({ identify: false }));
  await open(page, site.url);
  const uids = await trackMany(page, 3);
  expect(await restForAMinute(page)).toEqual({ timers: 0, accesses: 0 });
  await page.evaluate((uid) => {
    (window as unknown as { tracklet: { identify: (uid: string) => void } }).tracklet.identify(uid);
  }, contact);
  await expectRows(["pageview", ...uids]);
});

for (const consent of ["pending", "denied"])
  test(`A page of a visitor whose consent is ${consent} is at rest`, async ({ page, site }) => {
    site.configure({ consent });
    await open(page, site.url);
    await trackMany(page, 3);
    expect(await restForAMinute(page)).toEqual({ timers: 0, accesses: 0 });
  });
