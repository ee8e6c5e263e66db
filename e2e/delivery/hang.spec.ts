import { SLOW_MS } from "../../src/browser/delivery/requests.js";
import { expect, type Fault, test, track, trackMany } from "../harness/fixtures.js";
import { lasting } from "../harness/outage.js";

/*
 * A service that answers nothing for a while, preflights included, and is well then. Its connections are kept, as HTTP/1.1
 * does: Chromium holds one of six for each preflight of a request that was given up. That all events
 * are there within that time, and other times: simulation/takeover.
 */

test.use({ keepConnections: true });

const HANG: Fault = { connection: "hang", preflight: "fault" };
const HANG_MS = 60_000;
/** A service that hung for up to a minute and is well again is found within this time. */
const FOUND_MS = 20_000;
const EVENTS = 30;

test("A service hangs for 60 s, from the start of a page and in its middle, its preflights not cached: it is found within 20 s after, and all events arrive", async ({
  browser,
  guard,
  site,
  gateway,
  expectRows,
}) => {
  // Connections of their own.
  const contexts = [await browser.newContext(), await browser.newContext()];
  for (const context of contexts) guard.watch(context);
  const [fresh, middle] = await Promise.all(contexts.map((context) => context.newPage()));
  // Preflights that are answered without saying how long the answer holds.
  await gateway.fail(({ method }) => (method === "OPTIONS" ? { status: 204, preflight: "fault" } : "pass"));
  await middle!.goto(site.url);
  await track(middle!, "earlier");
  await expectRows(["earlier"]);
  await lasting(SLOW_MS);
  const uids = await gateway.during(HANG, async () => {
    await fresh!.goto(site.url);
    const tracked = [await trackMany(fresh!, EVENTS, "fresh"), await trackMany(middle!, EVENTS, "middle")];
    await lasting(HANG_MS);
    return tracked.flat();
  });
  await expectRows(
    (rows) => {
      for (const page of ["fresh", "middle"]) expect(rows.map(({ event_uid }) => event_uid).join()).toContain(page);
    },
    { timeoutMs: FOUND_MS },
  );
  // How long the rest takes is the machine's.
  await expectRows(["earlier", ...uids]);
  for (const context of contexts) await context.close();
});
