import { expect, test, track, trackMany } from "../harness/fixtures.js";
import type { TagOptions } from "../harness/tag.js";

/* What is read back from attributes and from the storage was written by anybody. */

test.describe("hostile attributes", () => {
  const MARKUP = `"><img src=x onerror="window.hacked = 1"></script><script>window.hacked = 1</script>`;

  test("markup in attributes is text: it is stored as it is, and never becomes a part of the page", {
    tag: "@core",
  }, async ({ page, site, gateway, contact, service }) => {
    // Rows are looked for by contact: this one bears the test's own name behind the markup.
    const hostile = `${MARKUP}${contact}`;
    site.page("/", site.html({ tag: { contactUid: hostile, accountUid: MARKUP }, identify: false }));
    await page.goto(site.url);
    await track(page, MARKUP, { [MARKUP]: MARKUP });
    await gateway.waitFor(async () => (await service.rows(hostile)).length > 0);
    await gateway.quiet();
    const [row, ...others] = await service.rows(hostile);
    expect(row).toMatchObject({ event_uid: MARKUP, params: { account_uid: MARKUP, [MARKUP]: MARKUP } });
    expect(others).toEqual([]);
    expect(await page.evaluate(() => "hacked" in window)).toBe(false);
    expect(await page.locator("img").count()).toBe(0);
  });

  const OPTIONS: Record<string, TagOptions> = {
    "bounds that are no numbers": { maxEvents: "many", maxBytes: "NaN", maxAgeMs: "[]" },
    "unknown and inherited names": {
      proto: "1",
      constructor: "1",
      toString: "1",
      __proto__x: "1",
      onError: "alert(1)",
    },
    "functions as text": { visitUrl: "alert(1)", onError: "alert(1)" },
    "page views of an unknown kind": { pageviews: "constructor" as "auto" },
  };
  for (const [what, tag] of Object.entries(OPTIONS))
    test(`${what}: events are stored`, async ({ page, site, contact, expectRows }) => {
      site.page("/", site.html({ tag: { ...tag, contactUid: contact }, identify: false }));
      await page.goto(site.url);
      const uids = await trackMany(page, 5);
      const views = "pageviews" in tag || "visitUrl" in tag ? 1 : 0;
      await expectRows((rows) => {
        const stored = rows.map(({ event_uid }) => event_uid);
        expect(stored.filter((uid) => uid !== "pageview").toSorted()).toEqual(uids);
        expect(stored.length - uids.length).toBeLessThanOrEqual(views);
      });
    });

  for (const trackUrl of ["javascript:alert(1)", "http://[", "blob:x", "chrome://version"])
    test(`an address that no request can go to, ${JSON.stringify(trackUrl)}: events wait for a page with the right one`, async ({
      page,
      site,
      expectRows,
    }) => {
      site.page("/wrong", site.html({ tag: { trackUrl } }));
      await page.goto(`${site.url}/wrong`);
      const uids = await trackMany(page, 3);
      await page.evaluate(() => {
        const { tracklet } = window;
        return tracklet.flush({ timeoutMs: 500 });
      });
      await page.goto(site.url);
      await expectRows(uids);
    });
});

test.describe("hostile rows in the storage", () => {
  const VALUES = [
    "",
    "null",
    "{",
    "[]",
    "{}",
    "0",
    "NaN,Infinity,-1,x",
    "1e999,1e999,1e999,1",
    '"text"',
    '[null,{"toString":1},[]]',
    "[0,5]",
    '[0,{"a":1},[]]',
    '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}',
    '{"contact_uid":null,"event_uid":5,"params":"text"}',
    `!${"[".repeat(10_000)}`,
    "\ud800\u0000",
    "x".repeat(100_000),
  ];
  const KEYS = [
    "",
    "event",
    "event:",
    "event:tab",
    "event:tab:1",
    "event:tab:NaN:NaN",
    "event:__proto__:1000000:0",
    "event:a:b:c:d:e:f",
    "tab:",
    "tab:__proto__",
    "tab:constructor",
    "identity",
    "backoff",
    "consent",
    "adopter",
    "constructor",
  ];

  test("A value that nobody writes, in every row, on a site each: events are stored", async ({
    page,
    site,
    contact,
    expectRows,
  }) => {
    site.page("/empty", { tag: false });
    site.page("/", { identify: false });
    const uids: string[] = [];
    for (const [index, value] of VALUES.entries()) {
      // A site of its own: names under `localhost` lead here, too.
      const url = site.at(`site-${index}.localhost`);
      await page.goto(`${url}/empty`);
      await page.evaluate(
        ([keys, text]) => {
          for (const key of keys) localStorage.setItem(`tracklet:${key}`, text);
          localStorage.setItem("somebody:else", text);
        },
        [KEYS, value] as const,
      );
      // Before anybody is identified, and after it.
      await page.goto(url);
      uids.push(...(await trackMany(page, 2, `early-${index}`)));
      await page.evaluate((uid) => window.tracklet.push(["identify", uid]), contact);
      uids.push(...(await trackMany(page, 2, `late-${index}`)));
      await expectRows(uids);
      expect(await page.evaluate(() => "polluted" in {})).toBe(false);
      expect(await page.evaluate(() => localStorage.getItem("somebody:else"))).toBe(value);
    }
  });
});
