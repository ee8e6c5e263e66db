import { expect, test } from "../harness/fixtures.js";
import { run } from "../harness/install.js";
import { names } from "../harness/track.js";

/* Answers of the real service. What each of them means is held by the simulation. */

test("An event that the service refuses for being too large is dropped and reported, and the others arrive", async ({
  open,
  gateway,
  app,
  expectRows,
}) => {
  const page = await open("/", app());
  const good = names("good", 10);
  const large = `tracklet.track("large", { text: "x".repeat(300_000) });`;
  await run(page, `${large} for (const uid of ${JSON.stringify(good)}) tracklet.track(uid)`);
  await expectRows(good);
  // The event itself is more than a driver can bring here.
  const told = () => page.evaluate("problems.map(({ code, detail, event }) => [code, detail, event.event_uid])");
  await expect.poll(told).toEqual([["rejected", "status 413", "large"]]);
  for (const { status } of gateway.posts("large")) expect(status).toBe(413);
});

test("When flush resolves, 200 events of one task are stored, each once with what it holds", { tag: "@core" }, async ({
  open,
  gateway,
  rows,
  expectRows,
}) => {
  const page = await open();
  const result = await page.evaluate(() => {
    for (let n = 1; n <= 200; n++) window.tracklet.track("row", { n });
    return window.tracklet.flush({ timeoutMs: 3_600_000 });
  });
  expect(result).toEqual({ delivered: 200, queued: 0, dropped: 0 });
  expect(await rows()).toHaveLength(200);
  const expected = Array.from({ length: 200 }, (_, index) => ({ n: index + 1 }));
  await expectRows(expected, { by: ({ params }) => params });
  expect(gateway.posts()).toHaveLength(200);
});
