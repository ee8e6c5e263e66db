import { randomUUID } from "node:crypto";
import { test as base, expect } from "../harness/fixtures.js";
import { names, trackCalls } from "../harness/track.js";

/* In how few requests events come, where the service takes several: what is merely more is seen by no other test. */

const test = base.extend({
  // Short, so that 299 events have 60 KiB.
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads a fixture's needs from this pattern
  contact: async ({}, use) => use(randomUUID().slice(0, 6)),
});
test.beforeEach(({ site }) => site.configure({ stamp: true }));

for (const [pages, most] of [
  [1, 2],
  [300, 4],
] as const)
  test(`300 events of ${pages} former page(s) come in ${most} requests at most`, async ({
    open,
    site,
    gateway,
    expectRows,
  }) => {
    site.page("/bare", { tag: false });
    const page = await open();
    await gateway.fail("refuse");
    const uids = names("e", 300);
    // In one task: none has been sent.
    const rows = await page.evaluate<[string, string][]>(
      `${trackCalls(uids)} Object.entries(localStorage).filter(([key]) => /:event/.test(key))`,
    );
    await page.goto(`${site.url}/bare`);
    await page.evaluate(
      ([all, pages]) => {
        localStorage.clear();
        const ofOwn = () => crypto.randomUUID();
        for (const [key, row] of all) localStorage[pages > 1 ? key.replace(/[\da-f-]{36}/, ofOwn) : key] = row;
      },
      [rows, pages] as const,
    );
    await gateway.heal();
    const before = gateway.posts().length;
    await page.goto(site.url);
    await expectRows(uids);
    expect(gateway.posts().length - before).toBeLessThanOrEqual(most);
  });
