import { modulePage, problems } from "../harness/module.js";
import { expect, judge, MEANS, run, test } from "./fixtures.js";

/* What a site says about its page views: by attributes, by hand, and by the hook. */

test("a page view holds its URL and nothing else", async ({ page, site, expectRows, contact }) => {
  site.configure({ stamp: undefined });
  await page.goto(`${site.url}/a?b=1#top`);
  const [row] = await expectRows(["pageview"]);
  expect(row).toMatchObject({ contact_uid: contact, event_uid: "pageview" });
  expect(row!.params).toEqual({ visit_url: `${site.url}/a?b=1#top` });
});

test('with pageviews "off" those made by hand are counted, as often as made', async ({ page, site, expectViews }) => {
  site.configure({ pageviews: "off" });
  await page.goto(`${site.url}/a`);
  await run(page, `history.pushState({}, "", "/b"); tracklet.pageview(); history.replaceState({}, "", "?x=1")`);
  await run(page, `tracklet.pageview(); tracklet.push(["pageview"])`);
  await expectViews(["/b", "/b?x=1", "/b?x=1"]);
});

test("members given by hand are added to a page view, and override its URL", async ({ page, site, expectRows }) => {
  site.configure({ pageviews: "off", stamp: undefined });
  await page.goto(`${site.url}/a`);
  await page.evaluate(() => {
    const { pageview } = window.tracklet;
    pageview({ title: "Shoes" });
    pageview({ visit_url: "https://elsewhere.test/shoes", title: "Shoes" });
    pageview({ visit_url: "/shoes" });
  });
  await expectRows(
    [
      { visit_url: `${site.url}/a`, title: "Shoes" },
      { visit_url: "https://elsewhere.test/shoes", title: "Shoes" },
      { visit_url: "/shoes" },
    ],
    { by: ({ params }) => ({ visit_url: params.visit_url, title: params.title }) },
  );
});

test("the view of the load belongs to whom the page named before the bundle", async ({
  page,
  site,
  contact,
  expectRows,
}) => {
  site.page("/before", site.html({ identify: "someone-before" }));
  await page.goto(`${site.url}/before`);
  await page.goto(`${site.url}/after`);
  const rows = await expectRows(["pageview"]);
  expect(rows.map(({ contact_uid, params }) => [contact_uid, params.visit_url])).toEqual([
    [contact, `${site.url}/after`],
  ]);
});

for (const markup of [`<nav id="navigation"></nav>`, `<script>var navigation = ["home"];</script>`])
  for (const means of MEANS)
    test.describe(() => {
      test.use({ means });
      test(`by ${means}, a page of its own with ${markup} counts as any`, async ({ page, site, expectViews }) => {
        // As in a browser without the Navigation API, where an element's id becomes a global.
        if (means === "wrapping") await page.addInitScript("delete window.navigation");
        site.page("/a", site.html({ head: markup }));
        await page.goto(`${site.url}/a`);
        for (const move of [`history.pushState({}, "", "/b")`, `history.replaceState({}, "", "?x=1")`]) {
          await judge(page);
          await run(page, move);
        }
        await expectViews(["/a", "/b"]);
      });
    });

test.describe("the visitUrl hook", () => {
  const visit = (hook: string) => `<script>window.hook = (url) => { ${hook} }</script>`;
  const hooked = { pageviews: "auto", stamp: true };
  const visitUrl = "visitUrl: window.hook";

  for (const [name, hook, views] of [
    ["changes the URL as a text", "return url.origin + url.pathname.toUpperCase()", ["/A", "/B"]],
    ["changes the URL itself", "url.search = ''; return url", ["/a", "/b"]],
    ["drops what it answers null for", "return url.pathname === '/a' ? null : url", ["/b?x=1"]],
    ["drops what it answers false for", "return url.pathname === '/b' && url", ["/b?x=1"]],
    ["changes the URL itself and answers nothing", "url.search = ''", ["/a", "/b"]],
    ["does no harm when it throws", "throw new Error('hook')", ["/a?x=1", "/b?x=1"]],
    ["does no harm when it answers what has no text", "return Object.create(null)", ["/a?x=1", "/b?x=1"]],
    [
      "gets a URL without secrets",
      "url.hash = '#' + url.searchParams.get('token'); return url",
      ["/a?x=1#null", "/b?x=1#null"],
    ],
  ] as const)
    test(name, async ({ page, site, gateway, contact, expectViews }) => {
      const options = { ...hooked, trackUrl: gateway.url, contactUid: contact };
      const html = modulePage(site, options, visit(hook), visitUrl);
      expect(html, "the page has the hook").toContain(visitUrl);
      site.page("/a", html);
      await page.goto(`${site.url}/a?x=1`);
      await judge(page);
      await run(page, `history.pushState({}, "", "/b?x=1")`);
      await expectViews(views);
      const told = (await problems(page)).map(({ code, detail }) => `${code}: ${detail}`);
      expect(told).toEqual(name.startsWith("does no harm") ? [expect.stringMatching(/^input: visitUrl/), told[0]] : []);
    });

  test("sees no secret, and what it returns is stored", async ({ page, site, gateway, contact, expectViews }) => {
    const hook = "return url.origin + '/' + url.searchParams.get('token') + url.username + url.hash.slice(1)";
    const options = { ...hooked, trackUrl: gateway.url, contactUid: contact };
    site.page("/a", modulePage(site, options, visit(hook), visitUrl));
    await page.goto(`${site.url}/a?token=s3cr3t#top`);
    await expectViews(["/REDACTEDtop"]);
  });
});
