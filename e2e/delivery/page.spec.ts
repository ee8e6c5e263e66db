import { expect, test } from "../harness/fixtures.js";
import { open, run } from "../harness/install.js";
import { problems } from "../harness/module.js";

/* What a page's own scripts hand over, and what they have done to the language before. */

test("params that JSON.stringify can write are stored as it writes them, other members are left out and named", {
  tag: "@core",
}, async ({ page, site, app, expectRows }) => {
  app();
  await open(page, site.url);
  // Made in the page, because they are no JSON. What of each kind is stored is held by the unit tests of `capture/event`.
  await page.evaluate(() => {
    const { track } = window.tracklet;
    const list = [1, [2, { deep: [3] }]];
    track("written", { at: new Date(0), list, f() {}, n: Number.NaN, text: "\ud800 😀 \u2028 </script>" });
    const omitted: Record<string, unknown> = { good: 1, big: BigInt(1) };
    omitted.self = omitted;
    track("omitted", omitted);
  });
  const rows = await expectRows(["written", "omitted"]);
  expect(Object.fromEntries(rows.map(({ event_uid, params }) => [event_uid, params]))).toStrictEqual({
    written: {
      at: "1970-01-01T00:00:00.000Z",
      list: [1, [2, { deep: [3] }]],
      n: null,
      text: "\ud800 😀 \u2028 </script>",
    },
    omitted: { good: 1 },
  });
  expect((await problems(page)).map(({ code, detail }) => `${code}: ${detail.replace(/.*params/, "params")}`)).toEqual([
    "input: params.big",
    "input: params.self",
  ]);
});

test("Events beyond maxEvents: the oldest are evicted and reported", async ({
  page,
  site,
  gateway,
  contact,
  app,
  expectRows,
}) => {
  app({ maxEvents: 2 });
  await gateway.during("reset", async () => {
    await open(page, site.url);
    // In one task, so that no request of the first is under way when it has to go.
    await run(page, 'for (const uid of ["one", "two", "three"]) tracklet.track(uid)');
    const event = { contact_uid: contact, event_uid: "one", params: {} };
    await expect.poll(() => problems(page)).toEqual([{ code: "evicted", detail: "maxEvents, maxBytes", event }]);
  });
  await expectRows(["two", "three"]);
});

const POLLUTION = {
  "Array.prototype.toJSON": 'Array.prototype.toJSON = function () { return "polluted"; };',
  "Object.prototype.toJSON":
    'Object.defineProperty(Object.prototype, "toJSON", { configurable: true, value: function () { return "polluted"; } });',
  "enumerable members of Object.prototype": `
    Object.prototype.extend = function () {};
    Object.prototype.display_name = "polluted";
    Object.prototype.account_uid = "polluted";`,
};
const params = { list: [1, [2, { deep: [3] }]], object: { a: { b: 1 } }, text: "t", none: null };

for (const [what, script] of Object.entries(POLLUTION))
  test(`Other scripts have changed ${what}: events are stored as they were tracked`, async ({
    page,
    site,
    contact,
    expectRows,
  }) => {
    const calls = `window.tracklet = window.tracklet || [];
      tracklet.push(["track", "given", ${JSON.stringify(params)}]); tracklet.push(["track", "bare"]);`;
    const tag = { contactUid: contact, accountUid: "account-1" };
    site.page("/", { identify: false, tag, head: `<script>${script}${calls}</script>` });
    await page.goto(site.url);
    const rows = await expectRows(["given", "bare"]);
    expect(Object.fromEntries(rows.map((row) => [row.event_uid, row.params]))).toStrictEqual({
      given: { ...params, account_uid: "account-1" },
      bare: { account_uid: "account-1" },
    });
  });
