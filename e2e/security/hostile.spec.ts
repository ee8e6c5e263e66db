import { expect, test, track, trackMany } from "../harness/fixtures.js";
import { judge } from "../harness/install.js";

/* What a page was given by anybody: attributes, addresses, and elements that hide what the script reads. */

const MARKUP = `"><img src=x onerror="window.hacked = 1"></script><script>window.hacked = 1</script>`;

test("Markup in attributes is text: it is stored as it is, and never becomes a part of the page", {
  tag: "@core",
}, async ({ page, site, gateway, contact, service }) => {
  // Rows are looked for by contact: this one bears the test's own name behind the markup.
  const hostile = `${MARKUP}${contact}`;
  site.page("/", site.html({ tag: { contactUid: hostile, accountUid: MARKUP }, identify: false }));
  await page.goto(site.url);
  await track(page, MARKUP, { [MARKUP]: MARKUP });
  await gateway.waitFor(async () => (await service.rows(hostile)).length > 0);
  await gateway.quiet();
  const [row, ...others] = await service.rows(hostile);
  expect(row).toMatchObject({ event_uid: MARKUP, params: { account_uid: MARKUP, [MARKUP]: MARKUP } });
  expect(others).toEqual([]);
  expect(await page.evaluate(() => "hacked" in window)).toBe(false);
  expect(await page.locator("img").count()).toBe(0);
});

test("Where the tag's address is one that no request can go to, events wait for a page with the right one", async ({
  open,
  expectRows,
}) => {
  const uids: string[] = [];
  for (const [index, trackUrl] of ["javascript:alert(1)", "http://[", "blob:x", "chrome://version"].entries()) {
    const page = await open("/wrong", { tag: { trackUrl } });
    uids.push(...(await trackMany(page, 3, `wrong-${index}`)));
    await page.evaluate(() => window.tracklet.flush({ timeoutMs: 500 }));
    await page.close();
  }
  await open();
  await expectRows(uids);
});

/** Names of members that the script reads, which elements hide by their `id` or `name` (HTML §3.1.3, §7.2.2.3). */
const NAMES = ["currentScript", "prerendering", "hidden", "addEventListener", "querySelector", "navigation", "history"];
const CLOBBERING = [
  `<img name="currentScript" data-api-token="x" data-track-url="https://evil.test" data-name="evil">`,
  `<form id="tracklet"><input name="init"><input name="push"><input name="track"></form>`,
  `<iframe name="tracklet"></iframe>`,
  ...["img", "form", "embed"].map((tag) =>
    NAMES.map((name) => `<${tag} name="${name}" id="${name}"></${tag}>`).join(""),
  ),
];

test("Behind elements that hide members of document and window, views and events arrive, by a tag and by an import", async ({
  page,
  site,
  contact,
  app,
  expectRows,
}) => {
  const tag = { pageviews: "auto", contactUid: contact, async: false } as const;
  const expected: string[] = [];
  for (const markup of CLOBBERING) {
    // Behind the markup, which the parser moves to the body.
    site.page("/", site.html({ tag, identify: false }).replace("<script", `${markup}<script`));
    await page.goto(site.url);
    await judge(page);
    await page.evaluate(() => history.pushState({}, "", "/next"));
    await track(page, "tracked");
    expected.push("pageview", "pageview", "tracked");
    await expectRows(expected);
  }
  site.page("/", app().replace("<body>", `<body>${CLOBBERING[1]}`).replace("init({", 'track("imported"); init({'));
  await page.goto(site.url);
  await expectRows([...expected, "imported"]);
});

/** Scripts of the page that change all objects. What `toJSON` does is held by unit tests, too; here the snippet comes last. */
const POLLUTION = `
  Array.prototype.toJSON = function () { return "polluted"; };
  Object.defineProperty(Object.prototype, "toJSON", { configurable: true, value: () => "polluted" });
  Object.prototype.extend = function () {};
  Object.prototype.display_name = "polluted";
  Object.prototype.account_uid = "polluted";`;

test("Events are stored as they were tracked although other scripts have changed Object.prototype", async ({
  open,
  contact,
  expectRows,
}) => {
  const params = { list: [1, [2, { deep: [3] }]], object: { a: { b: 1 } }, text: "t", none: null };
  const calls = `window.tracklet = window.tracklet || [];
    tracklet.push(["track", "given", ${JSON.stringify(params)}]); tracklet.push(["track", "bare"]);`;
  const tag = { contactUid: contact, accountUid: "account-1" };
  await open("/", { identify: false, tag, head: `<script>${POLLUTION}${calls}</script>` });
  const rows = await expectRows(["given", "bare"]);
  expect(Object.fromEntries(rows.map((row) => [row.event_uid, row.params]))).toStrictEqual({
    given: { ...params, account_uid: "account-1" },
    bare: { account_uid: "account-1" },
  });
});
