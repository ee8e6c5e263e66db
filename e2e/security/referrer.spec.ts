import { expect, test, track } from "../harness/fixtures.js";

/* The page's URL reaches the service as `visit_url`, where its secrets are replaced, and on no other way. */

for (const policy of ["unsafe-url", "no-referrer-when-downgrade", "same-origin"])
  for (const service of ["another origin", "the same origin"] as const)
    test(`with policy ${policy}, service on ${service}: no Referer names the page`, async ({
      page,
      site,
      gateway,
      expectRows,
    }) => {
      const shop = service === "another origin" ? site.url : gateway.url;
      const headers = { "referrer-policy": policy, "content-type": "text/html" };
      if (service === "another origin") site.page("/reset", site.html(), { headers });
      else {
        // The service's own origin serves the page, as behind a first-party proxy.
        const body = site.html({ tag: { src: `${site.url}/dist/tracklet.iife.js`, trackUrl: gateway.url } });
        await gateway.fail(({ url }) => (url.startsWith("/reset") ? { status: 200, headers, body } : undefined));
      }
      await page.goto(`${shop}/reset?ticket=secret`);
      await track(page, "tracked");
      await expectRows(["tracked"]);
      const sent = gateway.requests.filter(({ url }) => url.includes("track/event"));
      expect(sent.length).toBeGreaterThan(0);
      const told = sent.map(({ headers }) => headers.referer).filter((referer) => referer !== undefined);
      for (const referer of told) expect(referer).toBe(`${new URL(referer).origin}/`);
    });
