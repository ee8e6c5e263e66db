import { redact } from "../../src/browser/capture/redact.js";
import { SECRET_URLS, tells } from "../../test/support/secret-urls.js";
import { expect, run, test } from "./fixtures.js";

/* Secrets in the URLs of a site: neither what waits in the browser nor what is stored holds one. */

test("No secret of a list of URLs is stored, sent or in a row", async ({ open, site, gateway, expectRows }) => {
  // The script does what the module does, whose test counts the few URLs of the list that keep their secret.
  const views = SECRET_URLS.filter((of) => !tells(redact(of.url), of));
  const redacted = views.map(({ url }) => redact(url)).sort();
  // A short secret, such as a name, may stand in another URL or in a time by chance.
  const telling = (texts: readonly string[]) =>
    views
      .map(({ secrets, ...of }) => ({ ...of, secrets: secrets.filter(({ length }) => length > 9) }))
      .filter((of) => texts.some((text) => tells(text, of)));
  site.configure({ pageviews: "off" });
  await gateway.fail("refuse");
  const page = await open();
  await page.evaluate(
    (urls) => {
      const { tracklet } = window as unknown as { tracklet: { pageview: (params: object) => void } };
      for (const visit_url of urls) tracklet.pageview({ visit_url });
    },
    views.map(({ url }) => url),
  );
  const stored = await page.evaluate(() => Object.entries(localStorage).flat());
  const waiting = stored.flatMap((row) => /"visit_url":("(?:[^"\\]|\\.)*")/.exec(row)?.[1] ?? []);
  expect(waiting.map((text) => JSON.parse(text)).sort(), "what waits").toEqual(redacted);
  expect(telling(stored), "in the browser's storage").toEqual([]);

  await gateway.heal();
  await run(page, `tracklet.flush()`);
  const rows = await expectRows(views.length);
  expect(rows.map(({ params }) => params.visit_url).sort()).toEqual(redacted);
  expect(telling(gateway.requests.map(({ url, body }) => url + body)), "in requests").toEqual([]);
});

test("A page that was loaded with user, password and token in its URL stores none of them", async ({
  page,
  site,
  expectRows,
}) => {
  await page.goto(`${site.url.replace("//", "//ann:pa55@")}/a?token=q7w8#access_token=q7w8`);
  const [row] = await expectRows(["pageview"]);
  expect(row!.params.visit_url).toBe(`${site.url}/a?token=REDACTED#access_token=REDACTED`);
});
