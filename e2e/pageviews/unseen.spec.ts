import { openPlainBrowser, type PlainBrowser } from "../harness/plain-browser.js";
import { test as base, expect, MEANS, waitFor } from "./fixtures.js";

/* Pages that nobody sees yet: prerendered ahead of a visit, or opened in the background. */

interface Fixtures {
  /** Opens a page in a browser of its own that nothing drives. */
  start: (url: string) => Promise<PlainBrowser>;
  /** What pages have reported by a request for `/report/…`. */
  reports: string[];
}

const test = base.extend<Fixtures>({
  start: async ({ launchOptions }, use) => {
    const browsers: PlainBrowser[] = [];
    await use(async (url) => {
      const browser = await openPlainBrowser(launchOptions.executablePath!, url);
      browsers.push(browser);
      return browser;
    });
    for (const browser of browsers) await browser.close();
  },
  reports: async ({ site }, use) => {
    const reports: string[] = [];
    for (const name of ["prerendered", "unused", "open", "hidden"])
      site.page(`/report/${name}`, () => {
        reports.push(name);
        return "";
      });
    site.page("/reports", () => JSON.stringify(reports), { type: "application/json" });
    await use(reports);
  },
});

const hide = (means: string) =>
  means === "wrapping"
    ? `<script>Object.defineProperty(window, "navigation", { value: undefined, writable: true })</script>`
    : "";

for (const means of MEANS)
  test.describe(() => {
    test(`By ${means}, a prerendered page counts when it is visited, and sends nothing before`, async ({
      site,
      gateway,
      reports,
      start,
      expectViews,
    }) => {
      const rules = JSON.stringify({ prerender: [{ urls: ["/prerendered", "/unused"], eagerness: "immediate" }] });
      const page = `<script type="speculationrules">${rules}</script>
        <script>
          const look = async () => {
            const reports = await (await fetch("/reports")).json();
            if (new Set(reports).size === 2) {
              // Counts this page before it is left.
              tracklet.push(["flush", { timeoutMs: 0 }]);
              location.href = "/prerendered";
            }
            else setTimeout(look, 50);
          };
          look();
        </script>`;
      // What a prerendered page does ahead of its visit: it reports, navigates and tracks.
      const ahead = (name: string) => `<script>
        if (document.prerendering)
          addEventListener("load", () => {
            history.replaceState({}, "", "?ahead");
            tracklet.push(["pageview", { visit_url: "by-hand-" + document.prerendering }]);
            fetch("/report/${name}");
          });
        document.addEventListener("prerenderingchange", () => setTimeout(() => {
          tracklet.flush();
          history.pushState({}, "", "/next");
        }));
      </script>`;
      site.page("/start", site.html({ head: hide(means), body: page }));
      for (const name of ["prerendered", "unused"])
        site.page(`/${name}`, site.html({ head: hide(means), body: ahead(name) }));
      await start(`${site.url}/start`);
      await expectViews(["/start", "/prerendered?ahead", "by-hand-true", "/next"]);
      expect(reports.toSorted(), "pages that were prerendered").toEqual(["prerendered", "unused"]);
      expect(
        gateway.requests.filter(({ headers }) => headers["sec-purpose"] || headers.purpose),
        "requests from a page that was not visited",
      ).toEqual([]);
    });

    test(`By ${means}, a tab in the background counts when it is first seen`, async ({
      site,
      reports,
      start,
      expectRows,
      rows,
    }) => {
      // The tab leaves for the site when another one is in front of it.
      site.page(
        "/opener",
        `<script>
          document.onvisibilitychange = () => { location.href = "/hidden" };
          fetch("/report/open");
        </script>`,
      );
      site.page("/front", "<p>In front</p>");
      const body = `<script>
        addEventListener("load", () => {
          history.pushState({}, "", "/hidden/pushed");
          tracklet.push(["track", "loaded-" + document.visibilityState]);
          fetch("/report/hidden");
        });
        document.onvisibilitychange = () => setTimeout(() => {
          tracklet.flush();
          history.pushState({}, "", "/seen");
        });
      </script>`;
      site.page("/hidden", site.html({ head: hide(means), body }));
      const { openTab, showTab } = await start(`${site.url}/opener`);
      await waitFor(() => reports.length, { what: "the first tab to be open" });
      await openTab(`${site.url}/front`);
      await expectRows(["loaded-hidden"]);
      expect(reports).toEqual(["open", "hidden"]);

      await showTab(`${site.url}/hidden/pushed`);
      await expectRows(["loaded-hidden", "pageview", "pageview"]);
      const urls = (await rows()).flatMap(({ params }) => (params.visit_url ? [params.visit_url] : []));
      expect(urls.toSorted()).toEqual([`${site.url}/hidden/pushed`, `${site.url}/seen`]);
    });
  });
