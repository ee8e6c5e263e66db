import { expect, test } from "./fixtures.js";
import { DEMO_TOKEN } from "./tag.js";

/* What all other tests rely on to fail: that a row too many is found, also a late one, and that a page's errors are told. */

test("A row that is missing, repeated or late is found", { tag: "@core" }, async ({
  request,
  contact,
  gateway,
  database,
  expectRows,
}) => {
  const url = `${gateway.url}/v1/track/event?api_token=${DEMO_TOKEN}`;
  const send = (event_uid: string) =>
    request.post(url, { data: { contact_uid: contact, event_uid, params: {} }, ignoreHTTPSErrors: true });
  for (const uid of ["one", "two", "two"]) await send(uid);
  await expect(expectRows(["one", "two"])).rejects.toThrow(/two/);
  await expect(expectRows(["one", "one", "two"])).rejects.toThrow(/one/);
  await expect(expectRows(["one", "two", "two", "three"], { timeoutMs: 500 })).rejects.toThrow(/three/);
  await expectRows(["two", "one", "two"]);
  expect(await database.latecomers()).toBeUndefined();
  await send("one");
  expect(await database.latecomers()).toMatch(/3 \[.*\] became 4 \[/);
  await expectRows(["one", "one", "two", "two"]);
});

test("Errors, rejections and console.error of a page are told, and browsers' messages are not", {
  tag: "@core",
}, async ({ open, gateway, guard }) => {
  const page = await open("/", { tag: false });
  await gateway.during("refuse", () => page.evaluate((url) => fetch(url).catch(() => {}), gateway.url));
  await expect.poll(() => guard.browserMessages.length).toBeGreaterThan(0);
  expect(guard.objections()).toEqual([]);
  await page.evaluate(() => {
    setTimeout(() => {
      throw new Error("thrown later");
    });
    void Promise.reject(new Error("rejected"));
    console.error("said");
  });
  for (const text of [/thrown later/, /rejected/, /said/])
    await expect.poll(() => guard.objections().join()).toMatch(text);
  guard.allow(/thrown later|rejected/);
  expect(guard.objections()).toHaveLength(1);
  guard.allow();
});
