import { expect, test, track, trackMany } from "../harness/fixtures.js";
import { run } from "../harness/install.js";
import { problems } from "../harness/module.js";
import { setClockAhead } from "../harness/outage.js";
import { names } from "../harness/track.js";

/* Answers of the real service. What each of them means is held by the simulation. */

/** A page load brings a probe forward once in 8 s. */
const NEXT_VISIT_MS = 10_000;

test("When the answer is lost after the service has stored an event, it is sent again with the same stamp and stored once", async ({
  open,
  site,
  gateway,
  expectRows,
}) => {
  let left = 6;
  await gateway.fail(({ method }) => (method === "POST" && left-- > 0 ? "store-then-cut" : "pass"));
  site.configure({ stamp: true });
  const page = await open();
  const before = Date.now();
  const rows = await expectRows(await trackMany(page, 20));
  expect(new Set(rows.map(({ params }) => params.event_id)).size).toBe(20);
  for (const { params } of rows) {
    expect(params.event_id).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
    expect(params.occurred_at).toBeGreaterThanOrEqual(before);
    expect(params.occurred_at).toBeLessThanOrEqual(Date.now());
  }
  const cut = gateway.posts().filter(({ serviceStatus, status }) => serviceStatus === 200 && status === undefined);
  expect(cut, "answers lost").toHaveLength(6);
  for (const { event, body } of cut)
    expect(new Set(gateway.posts(event!.event_uid).map((attempt) => attempt.body))).toEqual(new Set([body]));
});

for (const { what, status, wrong } of [
  { what: "a token that the service answers with 401", status: 401, wrong: { apiToken: "wrong-token" } },
  { what: "a URL that the service answers with 404", status: 404, wrong: { path: "/wrong" } },
])
  test(`Where the tag has ${what}, nothing is lost once it is corrected`, async ({
    context,
    open,
    gateway,
    app,
    expectRows,
  }) => {
    const { path = "", ...rest } = wrong as { path?: string; apiToken?: string };
    const page = await open("/", app({ ...rest, trackUrl: gateway.url + path }));
    // All that are queued, so that eight refusals need not be waited for.
    const uids = await trackMany(page, 3);
    await expect.poll(() => problems(page)).toEqual([{ code: "paused", detail: `status ${status}` }]);
    await gateway.quiet();
    expect(gateway.posts().length, "requests until the pause").toBeLessThanOrEqual(3);
    await setClockAhead(context, NEXT_VISIT_MS);
    await track(await open("/", app()), "corrected");
    await expectRows([...uids, "corrected"]);
  });

for (const { what, status, params } of [
  { what: "being too large", status: 413, params: `{ text: "x".repeat(300_000) }` },
  { what: "being nested too deep", status: 400, params: `JSON.parse('{"a":'.repeat(1_000) + 1 + "}".repeat(1_000))` },
])
  test(`An event that the service refuses for ${what} is dropped and reported, and the others arrive`, async ({
    open,
    gateway,
    app,
    expectRows,
  }) => {
    const page = await open("/", app());
    const good = names("good", 10);
    await run(page, `tracklet.track("bad", ${params}); for (const uid of ${JSON.stringify(good)}) tracklet.track(uid)`);
    await expectRows(good);
    // The event itself is more than a driver can bring here.
    const told = () => page.evaluate("problems.map(({ code, detail, event }) => [code, detail, event.event_uid])");
    await expect.poll(told).toEqual([["rejected", `status ${status}`, "bad"]]);
    for (const { serviceStatus } of gateway.posts("bad")) expect(serviceStatus).toBe(status);
  });

test("When flush resolves, everything is stored", { tag: "@core" }, async ({ open, rows, expectRows }) => {
  const page = await open();
  const result = await page.evaluate(
    (uids) => {
      for (const uid of uids) window.tracklet.track(uid);
      return window.tracklet.flush({ timeoutMs: 3_600_000 });
    },
    names("event", 50),
  );
  expect(result).toEqual({ delivered: 50, queued: 0, dropped: 0 });
  expect(await rows()).toHaveLength(50);
  await expectRows(50);
});
