import { expect, test, track } from "../harness/fixtures.js";
import { loaded, run } from "../harness/install.js";
import { modulePage, problems } from "../harness/module.js";
import { waitForBackOff } from "../harness/outage.js";
import { eventKeys } from "../harness/tab.js";
import { DEMO_TOKEN } from "../harness/tag.js";
import { names } from "../harness/track.js";

/* How requests leave: path, type, referrer; and the page's hook on what leaves. */

test("eventPath is where events go", async ({ page, site, gateway, expectRows }) => {
  site.configure({ eventPath: "/e/1" });
  await gateway.fail(({ url }) => ({ path: url.replace("/e/1?", "/v1/track/event?") }));
  await page.goto(site.url);
  await track(page, "a");
  await expectRows(["a"]);
  expect(gateway.posts().map(({ url }) => url)).toEqual([`/e/1?api_token=${DEMO_TOKEN}`]);
});

test("the page's address stays at home, its origin goes along", async ({ page, site, gateway, expectRows }) => {
  await page.goto(`${site.url}/private/path?token=s3cr3t`);
  await track(page, "a");
  await expectRows(["a"]);
  for (const { headers } of gateway.requests) {
    expect(headers.origin).toBe(site.url);
    expect([undefined, `${site.url}/`]).toContain(headers.referer);
  }
});

test.describe("contentType text/plain", () => {
  test.beforeEach(({ site }) => site.configure({ contentType: "text/plain" }));

  test("asks nothing beforehand, and is stored though no answer can be read", async ({
    page,
    site,
    gateway,
    expectRows,
  }) => {
    await page.goto(site.url);
    await track(page, "a", { n: 1 });
    const [row] = await expectRows(["a"]);
    expect(row!.params).toEqual({ n: 1 });
    expect(gateway.requests.map(({ method }) => method)).toEqual(["POST"]);
    expect(gateway.posts()[0]!.headers).toMatchObject({ "content-type": "text/plain" });
    expect(gateway.posts()[0]!.headers.cookie).toBeUndefined();
    await expect.poll(() => eventKeys(page)).toEqual([]);
  });
  test("works without any CORS header", async ({ page, site, gateway }) => {
    await gateway.fail({ status: 200, cors: false });
    await page.goto(site.url);
    await track(page, "a");
    await gateway.waitForPosts(1);
    await expect.poll(() => eventKeys(page)).toEqual([]);
    expect(gateway.posts()).toHaveLength(1);
  });
  test("is tried again where there was no answer", async ({ page, site, gateway, expectRows }) => {
    await page.goto(site.url);
    await gateway.during("reset", async () => {
      await track(page, "a");
      await gateway.waitForPosts(1);
    });
    await expectRows(["a"]);
  });
});

test("beforeSend may name the contact, and leave no params, also of an event that waits for the next page", async ({
  page,
  site,
  gateway,
  contact,
  expectRows,
}) => {
  const hook = `<script>window.hook = ({ event_uid }) => ({ event_uid, contact_uid: "${contact}" })</script>`;
  const html = modulePage(site, { trackUrl: gateway.url }, hook, "beforeSend: window.hook");
  for (const path of ["/", "/next"]) site.page(path, html);
  await gateway.fail("reset");
  await page.goto(site.url);
  await loaded(page);
  await run(page, `tracklet.track("waits", { n: 1 })`);
  await waitForBackOff(page);
  await gateway.heal();
  await page.goto(`${site.url}/next`);
  await loaded(page);
  await run(page, `tracklet.track("sent", { n: 2 })`);
  for (const { params } of await expectRows(["waits", "sent"])) expect(params).toEqual({});
  for (const { body } of gateway.posts()) expect(body.match(/contact_uid/g)).toHaveLength(1);
});

test("an onError that tracks what it is told hangs no page", async ({ page, site, gateway, contact, expectRows }) => {
  const options = { trackUrl: gateway.url, contactUid: contact, maxEvents: 20 };
  const onError = 'onError: ({ code }) => tracklet.track("problem-" + code)';
  site.page("/", modulePage(site, options, "", onError));
  await gateway.fail("reset");
  await page.goto(site.url);
  await loaded(page);
  await run(page, `for (let i = 1; i <= 21; i++) tracklet.track("event-" + i)`);
  await gateway.heal();
  // The first makes room for the last, and the second for the report of it.
  await expectRows([...names("event", 21).slice(2), "problem-evicted"]);
});

test("beforeSend changes, drops, and loses nothing by throwing", async ({
  page,
  site,
  gateway,
  contact,
  expectRows,
}) => {
  const hook = `<script>window.hook = (event) => {
    if (event.event_uid === "drop") return null;
    if (event.event_uid === "throw") throw new Error("hook");
    delete event.params.email;
    event.params.seen = event.contact_uid;
  }</script>`;
  const options = { trackUrl: gateway.url, contactUid: contact };
  site.page("/", modulePage(site, options, hook, "beforeSend: window.hook"));
  await page.goto(site.url);
  await loaded(page);
  await run(
    page,
    `Object.prototype.toJSON = () => "polluted";
    tracklet.track("change", { email: "a@b.test", n: 1 }); tracklet.track("drop"); tracklet.track("throw", { n: 2 });
    delete Object.prototype.toJSON`,
  );
  const rows = await expectRows(["change", "throw"]);
  expect(Object.fromEntries(rows.map(({ event_uid, params }) => [event_uid, params]))).toEqual({
    change: { n: 1, seen: contact },
    throw: { n: 2 },
  });
  expect((await problems(page)).map(({ code, detail }) => `${code}: ${detail}`)).toEqual(["input: beforeSend: hook"]);
});
