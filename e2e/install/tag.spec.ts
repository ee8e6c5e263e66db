import { readmeBlocks } from "../../test/support/readme.js";
import { expect, test } from "../harness/fixtures.js";
import { loaded, localise, run, warningsOf } from "../harness/install.js";
import { DEMO_TOKEN, scriptTag } from "../harness/tag.js";

/* One script on a page, in every way it can come there. */

const SRC = "/dist/tracklet.iife.js";

for (const [document, section] of [
  ["README.md", "Paste this"],
  ["docs/frameworks.md", "Astro with view transitions"],
] as const)
  test(`what ${document} tells to paste counts the view of the page`, async ({
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

test("every example of the README's section, in turn on one page", async ({ page, site, gateway, service }) => {
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

for (const [how, then] of [
  ["inserted by a script", ""],
  ["inserted, and removed before it runs", "s.remove()"],
] as const)
  test(`${how}: works`, async ({ page, site, gateway, contact, expectRows }) => {
    site.page("/", site.html({ tag: false }));
    await page.goto(site.url);
    const options = JSON.stringify({ apiToken: DEMO_TOKEN, trackUrl: gateway.url, contactUid: contact });
    await run(
      page,
      `const s = document.createElement("script");
      Object.assign(s.dataset, ${options});
      s.src = "${SRC}";
      document.head.append(s);
      ${then}`,
    );
    await expectRows(["pageview"]);
  });

test("without document.currentScript, the tag is found by its attributes", async ({ page, site, expectRows }) => {
  await page.addInitScript(() => Object.defineProperty(Document.prototype, "currentScript", { get: () => null }));
  await page.goto(site.url);
  await loaded(page);
  await run(page, `tracklet.track("a")`);
  await expectRows(["a"]);
});

test("without attributes and without a call, one warning says what is missing; a later call configures it", async ({
  page,
  site,
  gateway,
  contact,
  expectRows,
}) => {
  const warnings = warningsOf(page);
  site.page("/", site.html({ tag: false, head: `<script src="${SRC}"></script>` }));
  await page.goto(site.url);
  await run(page, `tracklet.track("early")`);
  expect(warnings).toEqual([expect.stringMatching(/^tracklet\b.*apiToken.*trackUrl/)]);
  const config = JSON.stringify({ apiToken: DEMO_TOKEN, trackUrl: gateway.url, contactUid: contact, pageviews: "off" });
  await run(page, `tracklet.push(["init", ${config}]); tracklet.track("late")`);
  await expectRows(["early", "late"]);
  expect(warnings).toHaveLength(1);
});

test("attributes are texts: switches, numbers, what is wrong", async ({ page, site, gateway, contact, expectRows }) => {
  const lines: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "debug") lines.push(message.text());
  });
  const tag = scriptTag({
    trackUrl: gateway.url,
    contactUid: contact,
    async: false,
    attributes: { "data-stamp": "false", "data-debug": "", "data-max-events": "2", "data-max-bytes": "many" },
  });
  site.page("/", site.html({ tag: false, head: tag }));
  await gateway.during("reset", async () => {
    await page.goto(site.url);
    await run(page, `for (const uid of ["a", "b", "c"]) tracklet.track(uid)`);
  });
  const rows = await expectRows(["b", "c"]);
  for (const { params } of rows) expect(params).toEqual({});
  expect(lines.filter((line) => line.startsWith("tracklet queued"))).toHaveLength(3);
});
