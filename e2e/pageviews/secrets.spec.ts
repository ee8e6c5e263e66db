import { SECRET, WITH_SECRETS } from "../../test/support/secret-urls.js";
import { expect, judge, run, test } from "./fixtures.js";

/* Secrets in the URLs of a site: neither what waits in the browser nor what is stored holds one. */

/** Paths of the table; a page cannot give itself a user and a password. */
const paths = WITH_SECRETS.map((url) => new URL(url)).map(({ pathname, search, hash }) => pathname + search + hash);

const decodeAll = (text: string): string => {
  const decoded = unescape(text);
  return decoded === text ? text : decodeAll(decoded);
};

test("no secret of a table of URLs is in the browser's storage, in a request or in a row", async ({
  page,
  site,
  gateway,
  expectRows,
}) => {
  const pushes = paths.filter((path) => path.includes(SECRET) || decodeAll(path).includes(SECRET));
  expect(pushes.length).toBeGreaterThan(60);
  site.configure({ pageviews: "hash" });
  await gateway.fail("refuse");
  await page.goto(`${site.url}/start`);
  await judge(page);
  await page.evaluate((urls) => {
    const { tracklet } = window as unknown as { tracklet: { flush: (options: { timeoutMs: number }) => unknown } };
    for (const url of urls) {
      history.pushState({}, "", url);
      tracklet.flush({ timeoutMs: 0 });
    }
  }, pushes);
  const stored = await page.evaluate(() => Object.values(localStorage).filter((row) => row.includes("visit_url")));
  expect(stored, "page views that wait").toHaveLength(pushes.length + 1);
  const revealing = (texts: readonly string[]) => texts.filter((text) => decodeAll(text).includes(SECRET));
  expect(revealing(stored), "in the browser's storage").toEqual([]);
  expect(revealing(await page.evaluate(() => Object.entries(localStorage).flat())), "anywhere in it").toEqual([]);

  await gateway.heal();
  await run(page, `history.pushState({}, "", "/"); tracklet.flush()`);
  const rows = await expectRows(pushes.length + 2);
  expect(revealing(rows.map((row) => JSON.stringify(row))), "in the database").toEqual([]);
  expect(revealing(gateway.requests.map(({ url, body }) => url + body)), "in requests").toEqual([]);
});

test("a page that was loaded with user, password and token stores neither", async ({ page, site, expectRows }) => {
  await page.goto(`${site.url.replace("//", `//ann:${SECRET}@`)}/a?token=${SECRET}#access_token=${SECRET}`);
  const [row] = await expectRows(["pageview"]);
  expect(row!.params.visit_url).toBe(`${site.url}/a?token=REDACTED#access_token=REDACTED`);
});

test("a link made to keep the redaction busy does not", async ({ page, site, expectRows }) => {
  const query = `?key${"[]".repeat(1_000)}`;
  await page.goto(`${site.url}/${query}`);
  const [row] = await expectRows(["pageview"]);
  expect(row!.params.visit_url).toBe(`${site.url}/${query}`);
});
