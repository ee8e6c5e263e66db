import { expect, test, waitFor } from "./fixtures.js";
import { burst, send } from "./plain.js";

/*
 * Where the harness is cleverer than what it tests, it is proved with plain `fetch` calls from a real page, counted in the
 * service's database, so that a red test of the tracker speaks of the tracker.
 */

test.beforeEach(async ({ page, site, contact }) => {
  site.page("/", { tag: false, body: `<script>var contact = ${JSON.stringify(contact)}</script>` });
  await page.goto(site.url);
});

test("A row too many, too few or repeated is found", { tag: "@core" }, async ({ page, gateway, expectRows }) => {
  for (const uid of ["one", "two", "two"]) await send(page, gateway, uid);
  await expect(expectRows(["one", "two"])).rejects.toThrow(/two/);
  await expect(expectRows(["one", "one", "two"])).rejects.toThrow(/surplus/);
  await expect(expectRows(["one", "two", "two", "three"], { timeoutMs: 500 })).rejects.toThrow(/three/);
  await expect(expectRows(["two", "one", "two"], { inOrder: true })).rejects.toThrow(/order/);
  await expectRows(["two", "one", "two"]);
});

test("A row that comes after the last look is found when the test ends", { tag: "@core" }, async ({
  page,
  gateway,
  database,
  expectRows,
}) => {
  await send(page, gateway, "one");
  await expectRows(["one"]);
  expect(await database.latecomers()).toBeUndefined();
  await send(page, gateway, "one");
  expect(await database.latecomers()).toMatch(/1 \[one\] became 2 \[one, one\]/);
  await expectRows(["one", "one"]);
});

test("hang: never answered, until the page gives up", async ({ page, gateway, expectRows }) => {
  await gateway.fail("hang");
  const sent = send(page, gateway, "patient", {}, { timeoutMs: 500, keepalive: false });
  const [post] = await gateway.waitForPosts(1);
  expect(post?.ended).toBe(false);
  expect(await sent).toEqual({ error: "TimeoutError" });
  await waitFor(() => post?.ended);
  expect(post).toMatchObject({ forwarded: false, status: undefined });
  await expectRows([]);
});

// A browser repeats a POST by itself when a connection that it uses again breaks; see `keepConnections`. Fresh
// connections make one call one request, which is counted over many calls after a warm-up.
for (const { fault, isStored } of [
  { fault: "reset", isStored: false },
  { fault: "store-then-cut", isStored: true },
] as const)
  test(`${fault}: each call is one request, and is${isStored ? "" : " not"} stored`, async ({
    page,
    gateway,
    expectRows,
  }) => {
    const warmUp = await burst(page, gateway, 10, "warm");
    const cut = await gateway.during(fault, async () => {
      for (let i = 1; i <= 20; i++) expect(await send(page, gateway, `alone-${i}`)).toEqual({ error: "TypeError" });
      return [
        ...Array.from({ length: 20 }, (_, index) => `alone-${index + 1}`),
        ...(await burst(page, gateway, 20, "together")),
      ];
    });
    expect(gateway.posts().filter(({ status }) => status === undefined)).toHaveLength(40);
    expect(new Set(gateway.posts().map(({ connection }) => connection)).size).toBe(gateway.posts().length);
    await expectRows([...warmUp, ...(isStored ? cut : [])]);
  });

test("Errors, rejections and console.error of a page are told, browsers' messages are not", async ({
  page,
  gateway,
  guard,
}) => {
  await gateway.during("refuse", () => send(page, gateway, "refused"));
  await expect.poll(() => guard.browserMessages.length).toBeGreaterThan(0);
  expect(guard.objections()).toEqual([]);
  await page.evaluate(() => {
    setTimeout(() => {
      throw new Error("thrown later");
    });
    void Promise.reject(new Error("rejected"));
    console.error("said");
  });
  await expect.poll(() => guard.objections().join()).toMatch(/thrown later/);
  await expect.poll(() => guard.objections().join()).toMatch(/rejected/);
  await expect.poll(() => guard.objections().join()).toMatch(/said/);
  guard.allow(/thrown later|rejected/);
  expect(guard.objections()).toHaveLength(1);
  guard.allow();
});
