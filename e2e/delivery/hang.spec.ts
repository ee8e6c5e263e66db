import { PREFLIGHT_MS } from "../../src/browser/delivery/timings.js";
import { expect, type Fault, test, track, trackMany } from "../harness/fixtures.js";
import { open } from "../harness/install.js";
import { lasting } from "../harness/outage.js";

/*
 * A service that answers nothing for a while, preflights included, and is well then. Its connections are kept, as HTTP/1.1
 * does: Chromium holds one of six for each preflight of a request that was given up.
 */

test.use({ keepConnections: true });

const HANG: Fault = { connection: "hang", preflight: "fault" };
/** A service that hung for up to a minute and is well again is found within this time. */
const FOUND_MS = 20_000;
/** A request that is open for longer when its page is left is not taken for delivered (3 s). */
const UNLIKELY_MS = 4_000;
const EVENTS = 30;

/** What the browser remembers of the service's preflights when the service begins to hang. */
const PREFLIGHTS = ["cached", "not cached"] as const;

for (const { seconds, from, preflight } of [
  ...PREFLIGHTS.flatMap((preflight) => [
    { seconds: 10, from: "the start of a page", preflight },
    { seconds: 10, from: "the middle of a page", preflight },
  ]),
  ...[30, 60].flatMap((seconds) => [
    { seconds, from: "the start of a page", preflight: "not cached" as const },
    ...PREFLIGHTS.map((preflight) => ({ seconds, from: "the middle of a page", preflight })),
  ]),
])
  test(`A service hangs for ${seconds} s from ${from}, the preflight ${preflight}: all events arrive within 20 s after`, {
    tag: seconds === 10 && from === "the start of a page" && preflight === "not cached" ? "@core" : [],
  }, async ({ page, site, gateway, expectRows }) => {
    const uids: string[] = [];
    const sendOne = async (uid: string) => {
      uids.push(uid);
      await track(page, uid);
      await expectRows(uids);
    };
    const isMiddle = from === "the middle of a page";
    if (preflight === "not cached")
      await gateway.fail(({ method }) => (method === "OPTIONS" ? { status: 204, preflight: "fault" } : "pass"));
    if (preflight === "cached" || isMiddle) {
      await open(page, site.url);
      await sendOne("earlier");
      // The service has not said how long its answer to the preflight holds.
      if (preflight === "not cached") await lasting(PREFLIGHT_MS);
    }
    await gateway.during(HANG, async () => {
      if (!isMiddle) await open(page, `${site.url}/next`);
      uids.push(...(await trackMany(page, EVENTS)));
      await lasting(seconds * 1_000);
    });
    await expectRows(uids, { timeoutMs: FOUND_MS });
  });

test("A page is left while the service hangs: it has begun two requests, and the next page stores all", async ({
  page,
  site,
  gateway,
  expectRows,
}) => {
  site.page("/bare", site.html({ tag: false }));
  const uids = await gateway.during(HANG, async () => {
    await open(page, site.url);
    const tracked = await trackMany(page, EVENTS);
    // Until the page takes nothing that is in flight for delivered.
    await lasting(UNLIKELY_MS);
    await page.goto(`${site.url}/bare`);
    await gateway.quiet();
    expect(gateway.requests, "begun by the page").toHaveLength(2);
    return tracked;
  });
  await open(page, `${site.url}/next`);
  await expectRows(uids, { timeoutMs: FOUND_MS });
});
