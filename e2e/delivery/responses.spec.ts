import { LANDING } from "../harness/fault.js";
import { expect, test, track, trackMany } from "../harness/fixtures.js";
import { open, run } from "../harness/install.js";
import { problems } from "../harness/module.js";
import type { RecordedRequest } from "../harness/recorded.js";

/* What the service's answers do: an answer lost on the way, a token or a URL that is wrong for a while, and bad events. */

/** Longer than a page load waits for its probe after a refusal, and far shorter than the pause. */
const NEXT_VISIT_MS = 10_000;

const tokenOf = ({ url }: RecordedRequest) => new URL(url, "http://service").searchParams.get("api_token");

test.describe("the answer is lost after the service has stored the event, with stamps", () => {
  test.beforeEach(({ site }) => site.configure({ stamp: true }));

  test("sent again with the same stamp, stored once", { tag: "@core" }, async ({ page, site, gateway, expectRows }) => {
    let left = 6;
    await gateway.fail(({ method }) => (method === "POST" && left-- > 0 ? "store-then-cut" : "pass"));
    await page.goto(site.url);
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
    for (const { event, body } of cut) {
      const attempts = gateway.posts(event!.event_uid);
      expect(attempts.length).toBeGreaterThan(1);
      for (const attempt of attempts) expect(attempt.body).toBe(body);
    }
  });

  test("in flight when the page was left: sent again, stored once", async ({ page, site, gateway, expectRows }) => {
    await page.goto(site.url);
    await gateway.fail({ connection: "store-then-cut", delayMs: 500 });
    const uids = await trackMany(page, 4);
    await gateway.waitForPosts(4);
    await page.goto(`${site.url}/next`);
    await gateway.waitFor(() => uids.every((uid) => gateway.posts(uid)[0]?.serviceStatus === 200), {
      what: "the service to have stored what the first page sent",
    });
    await gateway.heal();
    await track(page, "next");
    await expectRows([...uids, "next"]);
    for (const uid of uids) expect(gateway.posts(uid).length, `attempts of ${uid}`).toBeGreaterThan(1);
  });
});

test.describe("the deployment is wrong for a while, then right: nothing is lost", () => {
  const cases = [
    { what: "a token that the service answers with 401", status: 401, wrong: { apiToken: "wrong-token" } },
    { what: "a URL that the service answers with 404", status: 404, wrong: { path: "/wrong" } },
  ];
  for (const { what, status, wrong } of cases)
    test(`${what}, corrected in the tag`, async ({ clock, page, site, gateway, app, expectRows }) => {
      const { path = "", ...rest } = wrong;
      app({ ...rest, trackUrl: gateway.url + path });
      await page.goto(site.url);
      const first = await trackMany(page, 12, "first");
      await expect.poll(() => problems(page)).toHaveLength(1);
      expect(await problems(page)).toEqual([{ code: "paused", detail: `status ${status}` }]);
      await gateway.quiet();
      const refused = gateway.posts();
      expect(refused.map((post) => post.status)).toEqual(refused.map(() => status));
      expect(refused.length, "requests until the pause").toBeLessThanOrEqual(4);
      const second = await trackMany(page, 3, "second");

      await clock.shift(NEXT_VISIT_MS);
      app();
      await page.reload();
      await track(page, "third");
      await expectRows([...first, ...second, "third"]);
      expect(await problems(page)).toEqual([]);
      // The corrected page was accepted from its first request on.
      const corrected = gateway.posts().slice(refused.length);
      expect(corrected.map((post) => post.status)).toEqual(corrected.map(() => 200));
    });

  test("a wrong token, answered with 400, corrected in the tag", { tag: "@core" }, async ({
    clock,
    page,
    site,
    gateway,
    expectRows,
  }) => {
    await gateway.fail((request) => (tokenOf(request) === "wrong-token" ? { status: 400 } : "pass"));
    site.configure({ apiToken: "wrong-token" });
    await page.goto(site.url);
    const uids = await trackMany(page, 20);
    await gateway.waitForPosts(8);
    await gateway.quiet();
    expect(gateway.posts().length, "requests until the pause").toBeLessThanOrEqual(8 + 3);

    await clock.shift(NEXT_VISIT_MS);
    site.configure({ apiToken: "demo-api-token" });
    await page.goto(`${site.url}/next`);
    await expectRows(uids);
  });

  test("400 for every event, over reloads, drops none", async ({ clock, page, site, gateway, app, expectRows }) => {
    app();
    await gateway.fail({ status: 400 });
    await page.goto(site.url);
    const uids = await trackMany(page, 20);
    await expect.poll(() => problems(page)).toEqual([{ code: "paused", detail: "status 400" }]);
    for (let visit = 1; visit <= 5; visit++) {
      await gateway.quiet();
      const { length } = gateway.posts();
      await clock.shift(visit * NEXT_VISIT_MS);
      await page.reload();
      await gateway.waitForPosts(length + 1);
    }
    await gateway.quiet();
    expect((await problems(page)).filter(({ code }) => code !== "paused")).toEqual([]);
    await gateway.heal();
    await clock.shift(6 * NEXT_VISIT_MS);
    await page.reload();
    await expectRows(uids);
  });

  const faults = [
    { what: "400 for every event", status: 400, fault: { status: 400 } },
    { what: "a token refused with 403", status: 403, fault: { status: 403 } },
    { what: "405 by the service", status: 405, fault: { path: "/v2/users" } },
    { what: "a redirect", status: 302, fault: { redirect: true } },
  ] as const;
  for (const { what, status, fault } of faults)
    test(`${what}, then healed: the open page delivers`, async ({ clock, page, site, gateway, app, expectRows }) => {
      app();
      await gateway.fail(fault);
      await page.goto(site.url);
      const uids = await trackMany(page, 12);
      await expect.poll(() => problems(page)).toEqual([{ code: "paused", detail: `status ${status}` }]);
      await gateway.quiet();
      const { length } = gateway.posts();
      expect(gateway.posts().map((post) => post.status)).toEqual(Array(length).fill(status));

      await gateway.heal();
      // The pause has passed; what is tracked next, or a call of flush, finds the service well.
      await clock.shift(300_000);
      await track(page, "after");
      await expectRows([...uids, "after"]);
      expect(await problems(page)).toHaveLength(1);
      expect(gateway.requests.filter(({ url }) => url.startsWith(LANDING))).toEqual([]);
    });

  test("the deployed token changes while events wait", async ({ clock, page, site, gateway, expectRows }) => {
    let valid = "old-token";
    // The service behind knows one token: the proxy stands for a deployment that changes it.
    await gateway.fail((request) =>
      tokenOf(request) === valid ? { path: "/v1/track/event?api_token=demo-api-token" } : { status: 401 },
    );
    site.configure({ apiToken: "old-token" });
    await page.goto(site.url);
    const before = await trackMany(page, 5, "before");
    await expectRows(before);

    valid = "new-token";
    const meanwhile = await trackMany(page, 10, "meanwhile");
    await gateway.waitFor(() => gateway.posts().some(({ status }) => status === 401), { what: "a refusal" });
    await clock.shift(NEXT_VISIT_MS);
    // A page out of some cache, still with the old token.
    await page.goto(`${site.url}/cached`);
    const stale = await trackMany(page, 3, "stale");

    await clock.shift(2 * NEXT_VISIT_MS);
    site.configure({ apiToken: "new-token" });
    await page.goto(`${site.url}/fresh`);
    await track(page, "fresh");
    await expectRows([...before, ...meanwhile, ...stale, "fresh"]);
  });
});

test.describe("one poisonous event among good ones is dropped and reported, the others arrive", () => {
  const good = Array.from({ length: 10 }, (_, index) => `event-${index + 1}`);
  const positions = [
    { where: "first", order: ["poison", ...good] },
    { where: "in the middle", order: [...good.slice(0, 5), "poison", ...good.slice(5)] },
    { where: "last", order: [...good, "poison"] },
  ];
  for (const { where, order } of positions)
    test(where, async ({ clock, page, site, gateway, contact, app, expectRows }) => {
      app();
      await gateway.fail(({ event }) => (event?.event_uid === "poison" ? { status: 400 } : "pass"));
      await page.goto(site.url);
      await page.evaluate((uids) => {
        const { tracklet } = window;
        for (const uid of uids) tracklet.track(uid);
      }, order);
      await expectRows(good);
      await gateway.quiet();
      // Refused while nothing else was left, it looked like a wrong token: the next event tells.
      await clock.shift(NEXT_VISIT_MS);
      await track(page, "next");
      await expectRows([...good, "next"]);
      const event = { contact_uid: contact, event_uid: "poison", params: {} };
      const dropped = async () => (await problems(page)).filter(({ code }) => code !== "paused");
      await expect.poll(dropped).toEqual([{ code: "rejected", detail: "status 400", event }]);

      const { length } = gateway.posts("poison");
      await page.reload();
      await track(page, "later");
      await expectRows([...good, "next", "later"]);
      expect(gateway.posts("poison"), "attempts after it was dropped").toHaveLength(length);
    });

  /** Code of members that the service takes of nobody. */
  const refusals = [
    { what: "being too large", status: 413, params: `{ text: "x".repeat(300_000) }` },
    { what: "being nested too deep", status: 400, params: `JSON.parse('{"a":'.repeat(1_000) + 1 + "}".repeat(1_000))` },
  ];
  for (const { what, status, params } of refusals)
    test(`an event that the service itself refuses, ${what}`, async ({ page, site, gateway, app, expectRows }) => {
      app();
      await open(page, site.url);
      await run(
        page,
        `tracklet.track("refused", ${params}); for (const uid of ${JSON.stringify(good)}) tracklet.track(uid)`,
      );
      await expectRows(good);
      // The event itself is more than a driver can bring here.
      const told = () => page.evaluate("problems.map(({ code, detail, event }) => [code, detail, event.event_uid])");
      await expect.poll(told).toEqual([["rejected", `status ${status}`, "refused"]]);
      for (const { serviceStatus } of gateway.posts("refused")) expect(serviceStatus).toBe(status);
    });

  test("a poisonous event does not keep a page busy", async ({ clock, page, site, gateway, expectRows }) => {
    await gateway.fail(({ event }) => (event?.event_uid === "poison" ? { status: 422 } : "pass"));
    await page.goto(site.url);
    await track(page, "poison");
    for (let visit = 1; visit <= 3; visit++) {
      await gateway.waitForPosts(visit, "poison");
      await gateway.quiet();
      expect(gateway.posts().length, "one attempt a visit").toBe(visit);
      await clock.shift(visit * NEXT_VISIT_MS);
      await page.reload();
    }
    await track(page, "good");
    await expectRows(["good"]);
  });
});
