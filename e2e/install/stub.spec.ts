import { readmeBlocks } from "../../test/support/readme.js";
import { expect, test } from "../harness/fixtures.js";
import { loaded, run } from "../harness/install.js";

/* The stub of docs/install.md, its very text: the method form before the script has loaded. */

const stub = async (): Promise<string> => {
  const found = (await readmeBlocks("On a website", "html")).filter((code) => code.includes(".split"));
  expect(found, "stubs in the pages").toHaveLength(1);
  return found[0]!.trim();
};

test("it is at most 300 bytes", async () => expect(Buffer.byteLength(await stub())).toBeLessThanOrEqual(300));

test("it gives all verbs before loading, and views their URL", async ({ page, site, contact, expectRows }) => {
  const calls = `<script>
    const { track } = tracklet;
    tracklet.identify(${JSON.stringify(contact)}, "acme");
    tracklet.track("one", { n: 1 });
    history.replaceState({}, "", "/early");
    tracklet.pageview({ title: "Early" });
    tracklet.pageview({ visit_url: "/own" });
    tracklet.push(["track", "two"]);
    history.replaceState({}, "", "/later");
    tracklet.flush().then((result) => (window.flushed = result));
    tracklet.optIn();
    tracklet.debug((code, detail) => (window.codes ??= []).push(code));
  </script>`;
  site.page("/", site.html({ identify: false, head: (await stub()) + calls, tag: { stamp: true, async: true } }));
  await page.goto(site.url);
  await loaded(page);
  // A method taken from the stub reaches the tracker, too.
  await run(page, `track("three")`);
  const rows = await expectRows(["one", "pageview", "pageview", "two", "three"]);
  const of = (uid: string) => rows.filter(({ event_uid }) => event_uid === uid).map(({ params }) => params);
  expect(of("one")).toMatchObject([{ account_uid: "acme", n: 1 }]);
  expect(of("pageview").sort((a, b) => String(b.title).localeCompare(String(a.title)))).toMatchObject([
    { visit_url: "/own" },
    { title: "Early", visit_url: `${site.url}/early` },
  ]);
  const seen = await page.evaluate(() => {
    const { flushed, codes } = window;
    return { flushed, codes, choice: localStorage.getItem("tracklet:consent") };
  });
  expect(seen).toMatchObject({ flushed: { delivered: 0, dropped: 0 }, choice: "granted" });
  expect(seen.codes).toContain("queued");
});

test("it leaves a script alone that is there already", async ({ page, site, expectRows }) => {
  site.page("/", site.html({ tag: { async: false }, body: `${await stub()}<script>tracklet.track("a")</script>` }));
  await page.goto(site.url);
  await expectRows(["a"]);
});
