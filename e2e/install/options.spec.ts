import { expect, test, track } from "../harness/fixtures.js";
import { open, run } from "../harness/install.js";
import { modulePage, problems } from "../harness/module.js";
import { eventKeys } from "../harness/tab.js";
import { DEMO_TOKEN } from "../harness/tag.js";

/* How requests leave: path and type; and the page's hook on what leaves. */

test("eventPath is where events go", async ({ page, site, gateway, expectRows }) => {
  site.configure({ eventPath: "/e/1" });
  await gateway.fail(({ url }) => ({ path: url.replace("/e/1?", "/v1/track/event?") }));
  await page.goto(site.url);
  await track(page, "a");
  await expectRows(["a"]);
  expect(gateway.posts().map(({ url }) => url)).toEqual([`/e/1?api_token=${DEMO_TOKEN}`]);
});

test("contentType text/plain asks nothing beforehand, needs no CORS, and is tried again without an answer", async ({
  page,
  site,
  gateway,
  expectRows,
}) => {
  site.configure({ contentType: "text/plain" });
  await page.goto(site.url);
  await gateway.during("reset", async () => {
    await track(page, "a", { n: 1 });
    await gateway.waitForPosts(1);
  });
  const [row] = await expectRows(["a"]);
  expect(row!.params).toEqual({ n: 1 });
  await gateway.fail({ status: 200, cors: false });
  await track(page, "b");
  await gateway.waitForPosts(1, "b");
  await expect.poll(() => eventKeys(page), "delivered though no answer can be read").toEqual([]);
  expect(gateway.posts("b")).toHaveLength(1);
  expect(new Set(gateway.requests.map(({ method }) => method))).toEqual(new Set(["POST"]));
  for (const { headers } of gateway.posts()) {
    expect(headers).toMatchObject({ "content-type": "text/plain" });
    expect(headers.cookie).toBeUndefined();
  }
});

test("beforeSend changes, drops, names the contact, and loses nothing by throwing", async ({
  page,
  site,
  gateway,
  contact,
  expectRows,
}) => {
  const hook = `<script>window.hook = (event) => {
    if (event.event_uid === "drop") return null;
    if (event.event_uid === "bare") return { event_uid: "bare", contact_uid: "${contact}" };
    if (event.event_uid === "throw") throw new Error("hook");
    delete event.params.email;
    event.params.seen = event.contact_uid;
  }</script>`;
  const options = { trackUrl: gateway.url, contactUid: contact };
  site.page("/", modulePage(site, options, hook, "beforeSend: window.hook"));
  await open(page, site.url);
  await run(
    page,
    `tracklet.track("change", { email: "a@b.test", n: 1 }); tracklet.track("drop");
    tracklet.track("bare", { n: 3 }); tracklet.track("throw", { n: 2 });`,
  );
  const rows = await expectRows(["change", "bare", "throw"]);
  expect(Object.fromEntries(rows.map(({ event_uid, params }) => [event_uid, params]))).toEqual({
    change: { n: 1, seen: contact },
    bare: {},
    throw: { n: 2 },
  });
  expect((await problems(page)).map(({ code, detail }) => `${code}: ${detail}`)).toEqual(["input: beforeSend: hook"]);
});
