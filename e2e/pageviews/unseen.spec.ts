import { launch } from "../../test/support/launch.js";
import { CHROMIUM_ARGS } from "../harness/chromium.js";
import { expect, test } from "./fixtures.js";

/* Pages that are prerendered ahead of a visit. What counts of a page in the background: simulation/pageviews. */

test(
  "A prerendered page counts when it is visited, and sends nothing before",
  { tag: "@browser" },
  async ({ launchOptions, site, gateway, expectViews }, info) => {
    const prerendered: string[] = [];
    site.page("/prerendered-so-far", () => JSON.stringify(prerendered));
    const rules = JSON.stringify({ prerender: [{ urls: ["/visited", "/unused"], eagerness: "immediate" }] });
    const start = `<script type="speculationrules">${rules}</script>
    <script>
      const look = async () => {
        const paths = await (await fetch("/prerendered-so-far")).json();
        if (paths.length < 2) return setTimeout(look, 50);
        // Counts this page before it is left.
        tracklet.push(["flush", { timeoutMs: 0 }]);
        location.href = "/visited";
      };
      look();
    </script>`;
    site.page("/start", { body: start });
    for (const path of ["/visited", "/unused"]) {
      site.page(`${path}/told`, () => {
        prerendered.push(path);
        return "";
      });
      // What a prerendered page does ahead of its visit: it navigates, tracks, and tells the test.
      const body = `<script>
      if (document.prerendering)
        addEventListener("load", () => {
          history.replaceState({}, "", "?ahead");
          tracklet.push(["pageview", { visit_url: "by-hand-" + document.prerendering }]);
          fetch("${path}/told");
        });
      document.addEventListener("prerenderingchange", () => setTimeout(() => {
        tracklet.flush();
        history.pushState({}, "", "/next");
      }));
    </script>`;
      site.page(path, { body });
    }
    // Without a driver: one that is driven never prerenders. The address for debuggers keeps it open.
    const args = ["--headless=new", "--remote-debugging-port=0", `--user-data-dir=${info.outputPath("profile")}`];
    const browser = launch(launchOptions.executablePath!, [...args, ...CHROMIUM_ARGS, `${site.url}/start`]);
    await expectViews(["/start", "/visited?ahead", "by-hand-true", "/next"]).finally(() => browser.end());
    expect(prerendered.toSorted()).toEqual(["/unused", "/visited"]);
    expect(
      gateway.requests.filter(({ headers }) => headers["sec-purpose"] || headers.purpose),
      "requests from a page that was not visited",
    ).toEqual([]);
  },
);
