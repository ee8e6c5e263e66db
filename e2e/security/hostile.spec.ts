import { test, track } from "../harness/fixtures.js";
import { judge } from "../harness/install.js";

/* Elements of a page that hide what the script reads. */

/** Names of members that the script reads, which elements hide by their `id` or `name` (HTML §3.1.3, §7.2.2.3). */
const NAMES = "currentScript querySelector hidden prerendering referrer defaultView navigation history".split(" ");
const CLOBBERING = [
  `<img name="currentScript" data-api-token="x" data-track-url="https://evil.test" data-name="evil">`,
  `<form id="tracklet"><input name="init"><input name="push"><input name="track"></form>`,
  `<iframe name="tracklet"></iframe>`,
  ...["img", "form", "embed"].map((tag) =>
    NAMES.map((name) => `<${tag} name="${name}" id="${name}"></${tag}>`).join(""),
  ),
];

test("Behind elements that hide members of document and window, views and events arrive", async ({
  page,
  site,
  contact,
  expectRows,
}) => {
  const tag = { pageviews: "auto", referrer: true, contactUid: contact, async: false } as const;
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
});
