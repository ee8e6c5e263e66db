import { readmeBlocks } from "../../test/support/readme.js";
import { expect, test } from "../harness/fixtures.js";
import { localise, run, warningsOf } from "../harness/install.js";
import { DEMO_TOKEN } from "../harness/tag.js";

/* One script on a page, in every way it can come there. */

const SRC = "/dist/tracklet.iife.js";

for (const [document, section] of [
  ["README.md", "Paste this"],
  ["docs/frameworks.md", "Astro with view transitions"],
] as const)
  test(`What ${document} tells to paste counts the view of the page`, async ({
    page,
    site,
    gateway,
    contact,
    expectRows,
  }) => {
    const [tag] = await readmeBlocks(section, "html", document);
    const head = localise(tag!, DEMO_TOKEN, gateway.url)
      .replace("contact-42", contact)
      .replace("async", `async data-contact-uid="${contact}"`);
    site.page("/", site.html({ tag: false, head }));
    await page.goto(site.url);
    const isFirst = section === "Paste this";
    const rows = await expectRows(isFirst ? ["pageview", "signed_up"] : ["pageview"]);
    expect(rows.find(({ event_uid }) => event_uid === "pageview")!.params).toEqual({
      ...(isFirst ? { account_uid: "account-7" } : {}),
      visit_url: `${site.url}/`,
    });
  });

test("Every example of the documents for a website works, in turn on one page", async ({
  page,
  site,
  gateway,
  service,
}) => {
  const warnings = warningsOf(page);
  const blocks = (await readmeBlocks("On a website", "html")).map((block) => block.replace(/integrity="[^"]*"/, ""));
  expect(blocks.length).toBeGreaterThan(3);
  site.page("/", site.html({ tag: false, head: localise(blocks.join("\n"), DEMO_TOKEN, gateway.url) }));
  await page.goto(site.url);
  await gateway.waitForPosts(2);
  await gateway.quiet();
  expect(
    gateway
      .posts()
      .map(({ event }) => event!.event_uid)
      .sort(),
  ).toEqual(["pageview", "registration"]);
  expect((await service.rows("contact-17")).at(-1)!.params).toMatchObject({
    account_uid: "account-4",
  });
  expect(warnings).toEqual([]);
});

test("A tag that a script inserts, and removes before it runs, counts the view", async ({
  open,
  gateway,
  contact,
  expectRows,
}) => {
  const page = await open("/", { tag: false });
  const options = JSON.stringify({ apiToken: DEMO_TOKEN, trackUrl: gateway.url, contactUid: contact });
  await run(
    page,
    `const s = document.createElement("script");
    Object.assign(s.dataset, ${options});
    s.src = "${SRC}";
    document.head.append(s);
    s.remove()`,
  );
  await expectRows(["pageview"]);
});

for (const button of ["Allow", "Refuse"])
  test(`In the documents' example for consent, ${button} is what the visitor has chosen`, async ({ open, gateway }) => {
    const [example] = await readmeBlocks("Consent", "html");
    const page = await open("/", { tag: false, body: localise(example!, DEMO_TOKEN, gateway.url) });
    await run(page, `tracklet.identify("contact-readme")`);
    expect(await page.evaluate(() => Object.keys(localStorage))).toEqual([]);
    await page.getByRole("button", { name: button }).click();
    if (button === "Allow") await gateway.waitForPosts(1, "pageview");
    await gateway.quiet();
    expect(gateway.requests.length > 0).toBe(button === "Allow");
    expect(await page.evaluate(() => localStorage.getItem("tracklet:consent"))).toBe(
      button === "Allow" ? "granted" : "denied",
    );
  });

test("An app and a tag on one page have one tracker, and one view", async ({
  page,
  site,
  gateway,
  contact,
  expectRows,
}) => {
  const warnings = warningsOf(page);
  const config = { apiToken: DEMO_TOKEN, trackUrl: gateway.url, contactUid: contact };
  site.page("/", {
    tag: { async: false, pageviews: "auto" },
    head: `<script type="module">
      import { init, track } from "/dist/index.js";
      track("app_before");
      init(${JSON.stringify(config)});
      track("app_after");
      window.fromApp = track;
    </script>`,
  });
  await page.goto(site.url);
  await run(page, `tracklet.track("by_global"); fromApp("by_import")`);
  await expectRows(["pageview", "app_before", "app_after", "by_global", "by_import"]);
  expect(warnings).toEqual([]);
});
