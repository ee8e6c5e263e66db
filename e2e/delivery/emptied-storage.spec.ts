import { expect, test, track, trackMany } from "../harness/fixtures.js";
import { open, run } from "../harness/install.js";
import { drawLongest, waitForBackOff } from "../harness/outage.js";

/* Pages that empty the storage of their site, as many do when somebody logs out. */

/*
 * With the longest delays that jitter can draw, attempts come 0, 1, 3 and 7 s after the first one, and a new event may
 * bring one of its own in 8 s.
 */
const DOWN_MS = 10_000;
const ATTEMPTS = 6;

test("Emptied again and again: a service that fails is not hammered", async ({ page, site, gateway, expectRows }) => {
  await drawLongest(page);
  await gateway.fail({ status: 503 });
  await open(page, site.url);
  await track(page, "first");
  await waitForBackOff(page);
  const begun = performance.now();
  await run(page, "setInterval(() => localStorage.clear(), 100)");
  const uids = ["first", ...(await trackMany(page, 20))];
  await gateway.waitFor(() => performance.now() - begun >= DOWN_MS, { what: "the end of the outage" });
  expect(gateway.posts().length, `requests in ${DOWN_MS} ms`).toBeLessThanOrEqual(ATTEMPTS);
  await gateway.heal();
  await expectRows(uids);
});
