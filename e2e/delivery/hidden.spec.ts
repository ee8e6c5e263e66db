import { test as base, expect, waitFor } from "../harness/fixtures.js";
import { names, trackCalls } from "../harness/track.js";
import { openPlainBrowser, type PlainBrowser } from "../pageviews/plain-browser.js";

/* Pages that nobody sees, in a Chromium that nothing drives: a driven one shows every tab as visible, and never prerenders. */

const test = base.extend<{ start: (url: string) => Promise<PlainBrowser> }>({
  start: async ({ launchOptions, database: _ }, use) => {
    const browsers: PlainBrowser[] = [];
    await use(async (url) => {
      const browser = await openPlainBrowser(launchOptions.executablePath!, url);
      browsers.push(browser);
      return browser;
    });
    for (const browser of browsers) await browser.close();
  },
});

test("A hidden and a visible tab in an outage whose service comes back: each event comes once", async ({
  site,
  gateway,
  start,
  expectRows,
}) => {
  const back = `<script>
    ${trackCalls(names("seen", 5))}
    document.onvisibilitychange = () => { if (document.hidden) { ${trackCalls(names("hidden", 5))} } };
  </script>`;
  site.page("/back", site.html({ body: back }));
  site.page("/front", site.html({ body: `<script>${trackCalls(names("front", 5))}</script>` }));
  await gateway.fail("reset");
  const { openTab } = await start(`${site.url}/back`);
  await gateway.waitForPosts(1, "seen-1");
  await openTab(`${site.url}/front`);
  // Both know of the outage: it has lasted for some attempts.
  await gateway.waitForPosts(6);
  await gateway.heal();
  await expectRows([...names("seen", 5), ...names("hidden", 5), ...names("front", 5)]);
  expect(
    gateway.posts().filter(({ forwarded }) => forwarded),
    "one request an event",
  ).toHaveLength(15);
});

test("A page is prerendered in an outage, and visited after it: nothing is sent ahead, and each event comes once", async ({
  site,
  gateway,
  start,
  expectRows,
}) => {
  let isAhead = false;
  let isOver = false;
  site.page("/ahead", () => {
    isAhead = true;
    return site.html({ body: `<script>${trackCalls(names("ahead", 5))}</script>` });
  });
  site.page("/is-over", () => String(isOver));
  const rules = JSON.stringify({ prerender: [{ urls: ["/ahead"], eagerness: "immediate" }] });
  const body = `<script type="speculationrules">${rules}</script><script>
    ${trackCalls(names("start", 5))}
    const look = async () => {
      if ((await (await fetch("/is-over")).text()) === "true") location.href = "/ahead";
      else setTimeout(look, 50);
    };
    look();
  </script>`;
  site.page("/start", site.html({ body }));
  await gateway.fail({ status: 503 });
  await start(`${site.url}/start`);
  await waitFor(() => isAhead, { what: "the page to be prerendered" });
  await gateway.waitForPosts(3);
  await gateway.heal();
  isOver = true;
  await expectRows([...names("start", 5), ...names("ahead", 5)]);
  const ahead = gateway.requests.filter(({ headers }) => headers["sec-purpose"] ?? headers.purpose);
  expect(ahead, "requests of a page that was not visited").toEqual([]);
});
