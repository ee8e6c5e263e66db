import { expect, test, track } from "../harness/fixtures.js";
import { judge } from "../harness/install.js";
import { DEMO_TOKEN } from "../harness/tag.js";

/*
 * HTML of others in the page, without a script: elements hide members of `document` and `window` that have the name of their
 * `id` or `name` (HTML §3.1.3, §7.2.2.3). Nothing of them is believed.
 */

/** Names of members that the script reads. */
const NAMES = ["currentScript", "prerendering", "hidden", "addEventListener", "querySelector", "navigation", "history"];

for (const markup of [
  `<img name="currentScript" data-api-token="x" data-track-url="https://evil.test" data-name="evil">`,
  `<form id="tracklet"><input name="init"><input name="push"></form>`,
  `<iframe name="tracklet"></iframe>`,
  ...["img", "form", "embed"].map((tag) =>
    NAMES.map((name) => `<${tag} name="${name}" id="${name}"></${tag}>`).join(""),
  ),
])
  test(`by a tag, behind ${markup.slice(0, 60)}: views and events arrive`, async ({
    page,
    site,
    gateway,
    contact,
    guard,
    expectRows,
  }) => {
    const tag = { pageviews: "auto", contactUid: contact, async: false } as const;
    const html = site.html({ tag, identify: false });
    // Behind the markup, which the parser moves to the body.
    site.page("/", html.replace("<script", `${markup}<script`));
    await page.goto(site.url);
    await judge(page);
    await page.evaluate(() => history.pushState({}, "", "/next"));
    await track(page, "tracked");
    await expectRows(["pageview", "pageview", "tracked"]);
    expect(gateway.posts()).toHaveLength(3);
    expect(guard.reports).toEqual([]);
  });

test("by an import, behind inputs named as its verbs: events arrive", async ({
  page,
  site,
  gateway,
  contact,
  expectRows,
}) => {
  const form = `<form id="tracklet"><input name="push"><input name="init"><input name="track"></form>`;
  const config = JSON.stringify({ apiToken: DEMO_TOKEN, trackUrl: gateway.url, pageviews: "off" });
  const app = `<script type="module">
    import { identify, init, track } from "/dist/index.js";
    track("early");
    init(${config});
    identify(${JSON.stringify(contact)});
    track("late");
  </script>`;
  site.page("/", site.html({ tag: false, identify: false, body: form + app }));
  await page.goto(site.url);
  await expectRows(["early", "late"]);
});
