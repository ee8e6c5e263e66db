import { PREFLIGHT_MS } from "../../src/browser/delivery/timings.js";
import { type Fault, test, track, trackMany } from "../harness/fixtures.js";
import { lasting } from "../harness/outage.js";

/*
 * A service that answers nothing for a while, preflights included, and is well then. Its connections are kept, as HTTP/1.1
 * does: Chromium holds one of six for each preflight of a request that was given up.
 */

test.use({ keepConnections: true });

const HANG: Fault = { connection: "hang", preflight: "fault" };
/** A service that hung for up to a minute and is well again is found within this time. */
const FOUND_MS = 20_000;
const EVENTS = 30;

/**
 * What the service finds when it begins to hang. Each visitor has connections and a cache of his own. What is not cached was
 * answered without saying how long it holds.
 */
const VISITORS = [
  { name: "fresh", host: "127.0.0.1", isMiddle: false },
  { name: "cached", host: "127.0.0.1", isMiddle: true },
  { name: "not-cached", host: "localhost", isMiddle: true },
];

for (const seconds of [10, 60])
  test(`A service hangs for ${seconds} s, from the start of a page and in its middle, the preflight cached or not: all events arrive within 20 s after`, async ({
    browser,
    guard,
    site,
    gateway,
    expectRows,
  }) => {
    await gateway.fail(({ method, headers }) =>
      method === "OPTIONS" && headers.origin?.includes("localhost") ? { status: 204, preflight: "fault" } : "pass",
    );
    const visitors = await Promise.all(
      VISITORS.map(async (visitor) => {
        const context = await browser.newContext();
        guard.watch(context);
        return { ...visitor, context, page: await context.newPage() };
      }),
    );
    const uids: string[] = [];
    for (const { name, host, page } of visitors.filter(({ isMiddle }) => isMiddle)) {
      await page.goto(site.at(host));
      uids.push(`earlier-${name}`);
      await track(page, `earlier-${name}`);
      await expectRows(uids);
    }
    await lasting(PREFLIGHT_MS);
    await gateway.during(HANG, async () => {
      for (const { name, isMiddle, page } of visitors) {
        if (!isMiddle) await page.goto(`${site.url}/next`);
        uids.push(...(await trackMany(page, EVENTS, name)));
      }
      await lasting(seconds * 1_000);
    });
    await expectRows(uids, { timeoutMs: FOUND_MS });
    for (const { context } of visitors) await context.close();
  });
