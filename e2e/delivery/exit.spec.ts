import type { Page } from "playwright/test";
import { test as base, expect, track, visitLast, waitFor } from "../harness/fixtures.js";
import { runAndGo } from "../harness/tab.js";
import { names, trackCalls } from "../harness/track.js";

/* Tabs that close themselves, and what is too much or too large to leave with its page. How else: leaving.spec.ts. */

const test = base.extend<{ hasKeepalive: boolean }>({
  hasKeepalive: [true, { option: true }],
  // What a browser without it begins is cut off when the page is left, and only a beacon outlives it.
  context: async ({ context, hasKeepalive }, use) => {
    if (!hasKeepalive) await context.addInitScript("delete Request.prototype.keepalive");
    await use(context);
  },
});

/** Opens a page in a tab that its opener, a page without the snippet, lets close itself. */
const openTab = async (opener: Page, url: string): Promise<Page> => {
  const [tab] = await Promise.all([opener.waitForEvent("popup"), opener.evaluate((to) => void window.open(to), url)]);
  await tab.waitForLoadState("load");
  return tab;
};

test("An event before a script closes its tab is stored, ten times over, while the service is slow", async ({
  open,
  site,
  gateway,
  expectRows,
}) => {
  // In flight at every exit: preflights and events each take longer than the page lives.
  await gateway.fail({ connection: "pass", delayMs: 300, preflight: "fault" });
  // A busy browser may cut off the requests of a tab that a script closes before it tells the tab: they are sent again.
  site.configure({ stamp: true });
  const opener = await open("/opener", { tag: false });
  const uids = names("bye", 10);
  for (const uid of uids) {
    const tab = await openTab(opener, site.url);
    await runAndGo(tab, `${trackCalls([uid])} window.close()`);
    await waitFor(() => tab.isClosed(), { what: "the tab to close" });
  }
  await track(await openTab(opener, site.url), "back");
  await expectRows([...uids, "back"]);
});

test("An event of 100 KB, more than a request that outlives its page may carry, is delivered without that", async ({
  open,
  gateway,
  expectRows,
}) => {
  const text = "x".repeat(100 * 1024);
  const page = await open();
  await track(page, "large", { text });
  await track(page, "small");
  const stored = await expectRows(["large", "small"]);
  expect(stored.find(({ event_uid }) => event_uid === "large")?.params.text).toBe(text);
  expect(gateway.posts("large")).toHaveLength(1);
});

/** 27,000 bytes in UTF-8: six of them have fewer than 60 Ki characters, and more bytes. */
const MULTI_BYTE = `${"語".repeat(8_988)}é—ß👩‍🚀\u2028עב`;
/** With the fields beside its text, each has some 10 KB. */
const TEN_KB = { what: "20 events of 10 KB", count: 20, text: "x".repeat(9_900), fitting: 6 };
const LARGE = { what: "an event of 100 KB", count: 1, text: "x".repeat(100 * 1024), fitting: 0 };

/** What is tracked in the page's own `pagehide` listener: what fits into a document's 60 KiB leaves at once, the rest later. */
for (const { what, count, text, fitting, hasKeepalive = true, order = "after" } of [
  { ...TEN_KB, order: "before" },
  TEN_KB,
  { what: "6 events of multi-byte text", count: 6, text: MULTI_BYTE, fitting: 2 },
  { ...TEN_KB, hasKeepalive: false },
  { ...LARGE, hasKeepalive: false },
] as (typeof TEN_KB & { hasKeepalive?: boolean; order?: string })[])
  test.describe(() => {
    test.use({ hasKeepalive });
    test(`Of ${what} in a pagehide listener, ${order} the snippet's, what fits leaves ${hasKeepalive ? "by keepalive" : "by beacons"}, and the rest comes next`, async ({
      context,
      page,
      site,
      gateway,
      expectRows,
    }) => {
      site.configure({ stamp: !hasKeepalive });
      // A beacon carries the cookies of its target, which do not tell ports apart; a request of the snippet never does.
      await context.addCookies([{ name: "seen", value: "yes", url: gateway.url }]);
      const listen = `addEventListener("pagehide", () => {
        for (let i = 1; i <= ${count}; i++) tracklet.push(["track", "bye-" + i, { text: i + ${JSON.stringify(text)} }]);
      })`;
      // The bundle, an async script, has run when the page's load event comes.
      const own = order === "before" ? listen : `addEventListener("load", () => ${listen})`;
      site.page("/farewell", { head: `<script>${own}</script>` });
      await page.goto(`${site.url}/farewell`);
      await page.goto("about:blank");
      // No other page could have sent them.
      await gateway.waitForPosts(fitting);
      await gateway.quiet();
      const beacons = gateway.posts().filter(({ headers }) => headers.cookie?.includes("seen=yes"));
      expect(beacons, "beacons").toHaveLength(hasKeepalive ? 0 : fitting);
      const uids = names("bye", count);
      const stored = await expectRows([...uids, await visitLast(page, site)]);
      for (const { event_uid, params } of stored)
        if (event_uid !== "last") expect(params.text, event_uid).toBe(event_uid.slice("bye-".length) + text);
    });
  });
