import { createHash } from "node:crypto";
import type { Page } from "playwright/test";
import { expect, type Fault, test, track } from "../harness/fixtures.js";
import { findings, inspect, panel } from "../harness/inspector.js";
import { run } from "../harness/install.js";
import { createPolicy } from "../harness/policy.js";
import { DEMO_TOKEN } from "../harness/tag.js";

/* What the inspector learns from the browser alone. What it makes of that, and all it can ask for by itself: unit/inspector. */

const expectFindings = async (page: Page, ...texts: (string | RegExp)[]) => {
  for (const text of texts) await expect(findings(page)).toContainText(text);
};

for (const [what, fault, found] of [
  [
    "an answer 200 that is a web page",
    { status: 200, headers: { "content-type": "text/html; charset=utf-8" }, body: "<h1>Shop</h1>" },
    "it is a web page (HTML), not the service's",
  ],
  ["a service that does not allow the page", { status: 200, cors: false, preflight: "fault" }, "does not allow this"],
  [
    "an address that leads elsewhere",
    { status: 301, headers: { location: "/elsewhere" } },
    /The address at .* redirects, which is not followed/,
  ],
] satisfies [string, Fault, string | RegExp][])
  test(`The inspector finds ${what}, from before it was opened`, async ({ open, gateway }) => {
    await gateway.fail(fault);
    const page = await open("/shop");
    await track(page, "before");
    await page.waitForFunction(() =>
      performance.getEntriesByType("resource").some(({ name }) => name.includes("api_token")),
    );
    await expectFindings(await inspect(page), found);
  });

test("The inspector finds a policy that forbids the requests", async ({ open }) => {
  const { nonce, headers } = createPolicy("https://elsewhere.example");
  const page = await open("/shop", { tag: { attributes: { nonce } }, identify: false }, { headers });
  await inspect(page);
  await page.evaluate(() => void window.tracklet.push(["identify", "x"], ["track", "blocked"]));
  await expectFindings(page, "Content-Security-Policy forbids requests to", "name it in connect-src");
});

test("The inspector finds a policy that forbids the script, and one that stands in the page", async ({
  open,
  site,
  gateway,
}) => {
  const page = await open("/shop", {}, createPolicy(`${gateway.url} ${site.url}`));
  await expectFindings(
    await inspect(page),
    "the page's Content-Security-Policy forbids it. Name its host in script-src",
    "has not run: the page's Content-Security-Policy stops scripts that stand in the page",
  );
});

test("The inspector finds that the script has another hash than its tag says", async ({ open }) => {
  const integrity = `sha384-${createHash("sha384").update("another build").digest("base64")}`;
  const page = await open("/shop", { tag: { attributes: { integrity } } });
  await expectFindings(await inspect(page), "the file there is not the one that integrity names");
});

test("The inspector finds a page whose storage is denied", async ({ open, site }) => {
  site.first(`Object.defineProperty(window, "localStorage", { get() { throw new DOMException() } })`);
  await expectFindings(await inspect(await open("/shop")), "This page has no localStorage");
});

test("The inspector finds wrong options and calls, and what waits for a choice, from before it was opened", async ({
  open,
  gateway,
}) => {
  // Without options in the tag, a call of `init` configures the tracker.
  const page = await open("/shop", { tag: { apiToken: undefined as never, trackUrl: undefined as never } });
  const options = { apiToken: DEMO_TOKEN, trackUrl: gateway.url, pageviews: "off", consent: "pending", maxevents: 5 };
  await run(page, `tracklet.init(${JSON.stringify(options)}); tracklet.track(""); tracklet.push(["Identify", "x"])`);
  await track(page, "before");
  await expectFindings(
    await inspect(page),
    "maxevents, given to init, is no option: perhaps maxEvents",
    "track was given no eventUid",
    'There is no verb "Identify"',
    "Events that wait in memory: 1.",
  );
  await expect(panel(page)).toContainText("Waiting: 1In memory, until the visitor agrees.");
});
