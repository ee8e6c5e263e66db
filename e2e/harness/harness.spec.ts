import type { Page } from "playwright/test";
import { expect, test } from "./fixtures.js";
import type { FaultProxy } from "./proxy.js";
import { DEMO_TOKEN } from "./tag.js";

/* What all other tests rely on to fail: that a row too many is found, also a late one, and that a page's errors are told. */

/** Sends one event without the tracker. */
const send = (page: Page, gateway: FaultProxy, contact_uid: string, event_uid: string): Promise<unknown> =>
  page
    .evaluate(([url, body]) => fetch(url, { method: "POST", headers: { "Content-Type": "application/json" }, body }), [
      `${gateway.url}/v1/track/event?api_token=${DEMO_TOKEN}`,
      JSON.stringify({ contact_uid, event_uid, params: {} }),
    ] as const)
    .then(String, String);

test("A row that is missing, repeated or late is found", { tag: "@core" }, async ({
  open,
  contact,
  gateway,
  database,
  expectRows,
}) => {
  const page = await open("/", { tag: false });
  for (const uid of ["one", "two", "two"]) await send(page, gateway, contact, uid);
  await expect(expectRows(["one", "two"])).rejects.toThrow(/two/);
  await expect(expectRows(["one", "one", "two"])).rejects.toThrow(/one/);
  await expect(expectRows(["one", "two", "two", "three"], { timeoutMs: 500 })).rejects.toThrow(/three/);
  await expectRows(["two", "one", "two"]);
  expect(await database.latecomers()).toBeUndefined();
  await send(page, gateway, contact, "one");
  expect(await database.latecomers()).toMatch(/3 \[.*\] became 4 \[/);
  await expectRows(["one", "one", "two", "two"]);
});

test("Errors, rejections and console.error of a page are told, and browsers' messages are not", {
  tag: "@core",
}, async ({ open, contact, gateway, guard }) => {
  const page = await open("/", { tag: false });
  await gateway.during("refuse", () => send(page, gateway, contact, "refused"));
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
