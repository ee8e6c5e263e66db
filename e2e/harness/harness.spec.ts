import { type OwnService, startService } from "../../test/support/service.js";
import { expect, test, waitFor } from "./fixtures.js";
import { burst, send } from "./plain.js";

/*
 * The harness itself is proved with plain `fetch` calls from a real page: each fault does what it says, counted in the
 * service's database, so that a red test of the tracker speaks of the tracker.
 */

test.beforeEach(({ site, contact }) => {
  const plain = site.html({ tag: false, body: `<script>var contact = ${JSON.stringify(contact)}</script>` });
  site.page("/", plain);
});

test.describe("without a fault", () => {
  test("an event reaches the database and is recorded on its way", async ({ page, site, gateway, expectRows }) => {
    await page.goto(site.url);
    expect(await send(page, gateway, "hello", { text: "grüß dich" })).toMatchObject({ status: 200 });
    const [row] = await expectRows(["hello"]);
    expect(row?.params).toEqual({ text: "grüß dich" });

    const [post] = gateway.posts("hello");
    expect(post).toMatchObject({ forwarded: true, serviceStatus: 200, status: 200, ended: true });
    expect(post?.event?.params).toEqual({ text: "grüß dich" });
    expect(post?.headers["content-type"]).toBe("application/json");
    expect(gateway.requests.map(({ method }) => method)).toEqual(["OPTIONS", "POST"]);
    expect(gateway.requests[1]!.arrivedAt).toBeGreaterThanOrEqual(gateway.requests[0]!.arrivedAt);
  });

  test("rows are of a contact, and in the order of their storing", async ({
    page,
    site,
    gateway,
    contact,
    service,
    expectRows,
  }) => {
    await page.goto(site.url);
    for (const uid of ["one", "two", "three"]) await send(page, gateway, uid);
    await expectRows(["one", "two", "three"], { inOrder: true });
    expect(await service.rows(`${contact}-other`)).toEqual([]);
  });

  test("a row too many, too few or repeated is found", { tag: "@core" }, async ({
    page,
    site,
    gateway,
    expectRows,
  }) => {
    await page.goto(site.url);
    for (const uid of ["one", "two", "two"]) await send(page, gateway, uid);
    await expect(expectRows(["one", "two"])).rejects.toThrow(/two/);
    await expect(expectRows(["one", "one", "two"])).rejects.toThrow(/surplus/);
    await expect(expectRows(["one", "two", "two", "three"], { timeoutMs: 500 })).rejects.toThrow(/three/);
    await expect(expectRows(["two", "one", "two"], { inOrder: true })).rejects.toThrow(/order/);
    await expectRows(["two", "one", "two"]);
  });

  test("a row that comes after the last look is found when the test ends", { tag: "@core" }, async ({
    page,
    site,
    gateway,
    database,
    expectRows,
  }) => {
    await page.goto(site.url);
    await send(page, gateway, "one");
    await expectRows(["one"]);
    expect(await database.latecomers()).toBeUndefined();
    await send(page, gateway, "one");
    expect(await database.latecomers()).toMatch(/1 \[one\] became 2 \[one, one\]/);
    await expectRows(["one", "one"]);
  });
});

test.describe("answers of the proxy", () => {
  test("an error with Retry-After is readable, and nothing is stored", async ({ page, site, gateway, expectRows }) => {
    await page.goto(site.url);
    await gateway.during({ status: 503, retryAfter: 2 }, async () => {
      expect(await send(page, gateway, "refused")).toMatchObject({
        status: 503,
        retryAfter: "2",
        body: { error: expect.any(String) },
      });
    });
    expect(gateway.posts("refused")[0]).toMatchObject({ forwarded: false, serviceStatus: undefined, status: 503 });
    expect(await send(page, gateway, "accepted")).toMatchObject({ status: 200 });
    await expectRows(["accepted"]);
  });

  test("without CORS headers the page learns nothing", async ({ page, site, gateway, expectRows }) => {
    await page.goto(site.url);
    await gateway.fail({ status: 503, cors: false });
    expect(await send(page, gateway, "blind")).toEqual({ error: "TypeError" });
    expect(gateway.posts("blind")[0]).toMatchObject({ forwarded: false, status: 503 });
    await expectRows([]);
  });

  test("a fault may meet the preflight, too", async ({ page, site, gateway, expectRows }) => {
    await page.goto(site.url);
    await gateway.fail({ status: 500, preflight: "fault" });
    expect(await send(page, gateway, "stopped")).toEqual({ error: "TypeError" });
    expect(gateway.requests.map(({ method, status }) => [method, status])).toEqual([["OPTIONS", 500]]);
    await expectRows([]);
  });

  test("a fault is chosen for each request by a function", async ({ page, site, gateway, expectRows }) => {
    await page.goto(site.url);
    await gateway.fail((request) => (request.event?.event_uid === "poison" ? { status: 400 } : undefined));
    const answers = [];
    for (const uid of ["before", "poison", "after"]) answers.push((await send(page, gateway, uid)).status);
    expect(answers).toEqual([200, 400, 200]);
    await expectRows(["before", "after"]);
  });

  test("a redirect is seen; a followed one ends in a harmless 200", async ({ page, site, gateway, expectRows }) => {
    await page.goto(site.url);
    await gateway.fail({ redirect: true });
    expect(await send(page, gateway, "manual", {}, { redirect: "manual" })).toMatchObject({ type: "opaqueredirect" });
    expect(await send(page, gateway, "followed")).toMatchObject({ status: 200 });
    expect(gateway.requests.filter(({ method }) => method === "GET")).toHaveLength(1);
    await expectRows([]);
  });

  test("a wrong path is answered 404 by the service itself", async ({ page, site, gateway, expectRows }) => {
    await page.goto(site.url);
    await gateway.fail({ path: "/v1/nowhere" });
    expect(await send(page, gateway, "astray")).toMatchObject({ status: 404 });
    expect(gateway.posts("astray")[0]).toMatchObject({ forwarded: true, serviceStatus: 404 });
    await expectRows([]);
  });
});

test.describe("broken connections", () => {
  test("refused: nothing arrives, and the address works again later", async ({ page, site, gateway, expectRows }) => {
    await page.goto(site.url);
    await gateway.during("refuse", async () => {
      expect(await send(page, gateway, "refused")).toEqual({ error: "TypeError" });
      expect(gateway.requests).toEqual([]);
    });
    expect(await send(page, gateway, "accepted")).toMatchObject({ status: 200 });
    await expectRows(["accepted"]);
  });

  test("refusing cuts what is open", async ({ page, site, gateway, expectRows }) => {
    await page.goto(site.url);
    await gateway.fail("hang");
    const sent = send(page, gateway, "open");
    await gateway.waitForPosts(1);
    await gateway.fail("refuse");
    expect(await sent).toEqual({ error: "TypeError" });
    expect(gateway.pending()).toEqual([]);
    await expectRows([]);
  });

  test("hang: never answered, until the page gives up", async ({ page, site, gateway, expectRows }) => {
    await page.goto(site.url);
    await gateway.fail("hang");
    const sent = send(page, gateway, "patient", {}, { timeoutMs: 500, keepalive: false });
    const [post] = await gateway.waitForPosts(1);
    expect(post?.ended).toBe(false);
    expect(await sent).toEqual({ error: "TimeoutError" });
    await waitFor(() => post?.ended);
    expect(post).toMatchObject({ forwarded: false, status: undefined });
    await expectRows([]);
  });

  test("delay: answered later, by the service", async ({ page, site, gateway, expectRows }) => {
    await page.goto(site.url);
    await gateway.fail({ connection: "pass", delayMs: 300 });
    const before = performance.now();
    expect(await send(page, gateway, "late")).toMatchObject({ status: 200 });
    expect(performance.now() - before).toBeGreaterThanOrEqual(295);
    await expectRows(["late"]);
  });

  // A browser repeats a POST by itself when a connection that it uses again breaks; see `keepConnections`. Fresh
  // connections make one call one request, which the next two tests count over many calls after a warm-up.
  test("reset: each call is one request, and none is stored", async ({ page, site, gateway, expectRows }) => {
    await page.goto(site.url);
    const warmUp = await burst(page, gateway, 10, "warm");
    await gateway.during("reset", async () => {
      for (let i = 0; i < 20; i++) expect(await send(page, gateway, `reset-${i}`)).toEqual({ error: "TypeError" });
      await burst(page, gateway, 20, "together");
    });
    expect(gateway.posts().filter(({ status }) => status === undefined)).toHaveLength(40);
    expect(new Set(gateway.posts().map(({ connection }) => connection)).size).toBe(gateway.posts().length);
    await expectRows(warmUp);
  });

  test("store-then-cut: each call is stored once, and looks failed", async ({ page, site, gateway, expectRows }) => {
    await page.goto(site.url);
    const warmUp = await burst(page, gateway, 10, "warm");
    const cut: string[] = [];
    await gateway.during("store-then-cut", async () => {
      for (let i = 0; i < 20; i++) {
        cut.push(`cut-${i}`);
        expect(await send(page, gateway, `cut-${i}`)).toEqual({ error: "TypeError" });
      }
      cut.push(...(await burst(page, gateway, 20, "together")));
    });
    const posts = gateway.posts().filter(({ status }) => status === undefined);
    expect(posts).toHaveLength(40);
    expect(posts.every(({ serviceStatus }) => serviceStatus === 200)).toBe(true);
    await expectRows([...warmUp, ...cut]);
  });
});

const own = test.extend<object, { service: OwnService }>({
  service: [
    // biome-ignore lint/correctness/noEmptyPattern: the runner reads a fixture's needs from this pattern
    async ({}, use) => {
      const service = await startService();
      await use(service);
      await service.dispose();
    },
    { scope: "worker", timeout: 180_000 },
  ],
});

own.describe("the service's process", () => {
  own(
    "killed and started again, it keeps its rows and its address",
    async ({ page, site, gateway, service, expectRows }) => {
      await page.goto(site.url);
      await send(page, gateway, "before");
      const { url } = service;
      await service.kill();
      expect(service.running()).toBe(false);
      expect(await send(page, gateway, "lost")).toEqual({ error: "TypeError" });
      expect(gateway.posts("lost")[0]).toMatchObject({ forwarded: true, serviceStatus: undefined, status: undefined });
      await service.start();
      expect(service.url).toBe(url);
      await send(page, gateway, "after");
      await expectRows(["before", "after"], { inOrder: true });
    },
  );
});
