import { expect, test, track, visitLast } from "../harness/fixtures.js";
import { names } from "../harness/track.js";

/* What is too much or too large to leave with its page. How else: leaving.spec.ts. */

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

/** What is tracked in the page's own `pagehide` listener: what fits into a document's 60 KiB leaves at once, the rest later. */
for (const { what, text, count, fitting, hasKeepalive } of [
  // 27,000 bytes in UTF-8: six of them have fewer than 60 Ki characters, and more bytes.
  { what: "multi-byte text", text: `${"語".repeat(8_988)}é—ß👩‍🚀\u2028עב`, count: 6, fitting: 2, hasKeepalive: true },
  // With the fields beside its text, each has some 10 KB.
  { what: "10 KB", text: "x".repeat(9_900), count: 20, fitting: 6, hasKeepalive: false },
])
  test(`Of ${count} events of ${what} in a pagehide listener, what fits leaves ${hasKeepalive ? "by keepalive" : "by beacons"}, and the rest comes next`, async ({
    context,
    page,
    site,
    gateway,
    expectRows,
  }) => {
    // What a browser without it begins is cut off when the page is left, and only a beacon outlives it.
    if (!hasKeepalive) await context.addInitScript("delete Request.prototype.keepalive");
    site.configure({ stamp: !hasKeepalive });
    // A beacon carries the cookies of its target, which do not tell ports apart; a request of the snippet never does.
    await context.addCookies([{ name: "seen", value: "yes", url: gateway.url }]);
    // The bundle, an async script, has run when the page's load event comes: its listener is the first.
    const body = `<script>
      addEventListener("load", () => addEventListener("pagehide", () => {
        for (let i = 1; i <= ${count}; i++) tracklet.track("bye-" + i, { text: i + ${JSON.stringify(text)} });
      }));
    </script>`;
    site.page("/farewell", { body });
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
