import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Page } from "playwright/test";
import { expect, test, track } from "../harness/fixtures.js";
import { findings, inspect, panel } from "../harness/inspector.js";
import { run } from "../harness/install.js";
import { createPolicy } from "../harness/policy.js";
import type { FaultProxy } from "../harness/proxy.js";
import type { HtmlOptions, PageOptions, Site } from "../harness/site.js";
import { DEMO_TOKEN } from "../harness/tag.js";

/* What the inspector finds wrong by asking a browser. What it makes of attributes, options, calls and answers: unit/inspector. */

const DIST = fileURLToPath(new URL("../../dist/", import.meta.url));
const hashOf = (content: string) => `sha384-${createHash("sha384").update(content).digest("base64")}`;
/** A tag without attributes, so that a call of `init` configures the tracker. */
const BARE = { apiToken: undefined as never, trackUrl: undefined as never };
const init = (options: object): string =>
  `tracklet.init(${JSON.stringify({ apiToken: DEMO_TOKEN, pageviews: "off", ...options })});`;

interface Stage {
  page: Page;
  site: Site;
  gateway: FaultProxy;
}

interface Mistake {
  /** What is wrong, as the end of a sentence. */
  what: string;
  /** The page; its own errors are allowed where it makes some. */
  shown?: (stage: Stage) => HtmlOptions;
  options?: (stage: Stage) => PageOptions;
  /** What happens before the panel is opened, and after it; by default an event is tracked after it. */
  before?: (stage: Stage) => unknown;
  after?: (stage: Stage) => unknown;
  /** What is found, and what the panel shows besides. */
  finds: ((stage: Stage) => (string | RegExp)[]) | (string | RegExp)[];
  shows?: (string | RegExp)[];
  /** Whether the browser tells of an error that the page has made. */
  isThrowing?: boolean;
}

const nothing = () => {};

const MISTAKES: Mistake[] = [
  {
    what: "an answer 200 that is a web page",
    before: ({ gateway }) =>
      gateway.fail({ status: 200, headers: { "content-type": "text/html; charset=utf-8" }, body: "<h1>Shop</h1>" }),
    finds: ["it is a web page (HTML), not the service's"],
    shows: [/tracked\s*200, a web page/],
  },
  {
    what: "a service that does not allow the page",
    before: ({ gateway }) => gateway.fail({ status: 200, cors: false, preflight: "fault" }),
    finds: ({ gateway }) => [`Something answers at ${gateway.url}/v1/track/event, but does not allow`],
  },
  {
    what: "a service that speaks no https",
    shown: ({ gateway }) => ({ tag: { trackUrl: gateway.url.replace("http:", "https:") } }),
    finds: ["but something does by http: give the service a certificate"],
  },
  {
    what: "an address that leads elsewhere, from before it was opened",
    before: async ({ page, gateway }) => {
      await gateway.fail({ status: 301, headers: { location: "/elsewhere" } });
      await track(page, "redirected");
      await page.waitForFunction(() =>
        performance.getEntriesByType("resource").some(({ name }) => name.includes("api_token")),
      );
    },
    after: nothing,
    finds: [/The address at .* redirects, which is not followed/],
  },
  {
    what: "a service that hangs",
    before: ({ gateway }) => gateway.fail("hang"),
    finds: ({ gateway }) => [`Something takes requests at ${gateway.url}/v1/track/event, and does not answer`],
  },
  {
    what: "a service that is not there",
    before: ({ gateway }) => gateway.fail("refuse"),
    finds: ({ gateway }) => [`Nothing answers at ${gateway.url}/v1/track/event`],
  },
  {
    what: "a call as a method before the script is there",
    shown: () => ({
      head: `<script>window.tracklet = []</script><script>tracklet.identify("x")</script>`,
      identify: false,
    }),
    isThrowing: true,
    finds: ['Write tracklet.push(["identify", …]), which waits.'],
  },
  {
    what: "calls of another name than the tracker's",
    shown: () => ({ tag: { name: "shop" } }),
    after: nothing,
    finds: ["Calls wait in window.tracklet (1), and nothing takes them over"],
  },
  {
    what: "a policy without the service",
    shown: () => ({ tag: { attributes: { nonce: POLICY.nonce } }, identify: false }),
    options: () => ({ headers: POLICY.headers }),
    after: ({ page }) => page.evaluate(() => void window.tracklet.push(["identify", "x"], ["track", "blocked"])),
    finds: ["Content-Security-Policy forbids requests to", "name it in connect-src"],
  },
  {
    what: "a tag whose attributes are all misspelt",
    shown: () => ({ tag: { ...BARE, token: "x" } }),
    finds: ["The tracker has no options, and calls wait for them", "data-token is no option"],
    shows: ["Next attemptnone, as things are"],
  },
  {
    what: "a misspelt option of init and wrong arguments from before it was opened",
    shown: () => ({ tag: BARE }),
    before: ({ page, gateway }) =>
      run(
        page,
        `${init({ trackUrl: gateway.url, maxevents: 5 })} tracklet.track(""); tracklet.push(["Identify", "x"])`,
      ),
    finds: [
      "maxevents, given to init, is no option: perhaps maxEvents",
      "track was given no eventUid",
      'There is no verb "Identify"',
    ],
  },
  {
    what: "a consent that is pending",
    shown: () => ({ tag: { consent: "pending" } }),
    before: ({ page }) => track(page, "before"),
    finds: [/^Consent is pending.* Events that wait in memory: 2\.$/],
    shows: ["Waiting: 2In memory, until the visitor agrees."],
  },
  {
    what: "a page whose storage is denied",
    shown: () => ({
      head: `<script>Object.defineProperty(window, "localStorage", { get() { throw new DOMException() } })</script>`,
    }),
    finds: ["This page has no localStorage"],
  },
  {
    what: "a storage that is full",
    shown: () => ({
      head: `<script>for (let size = 1e6, i = 0; size >= 1; i++) try { localStorage.setItem(i, "x".repeat(size)) } catch { size /= 10 }</script>`,
    }),
    finds: ["The storage takes nothing more"],
  },
  {
    what: "a script that is not where the tag says, and what was called of it",
    shown: () => ({
      tag: { src: "/dist/nowhere.js" },
      identify: false,
      head: '<script>window.tracklet = [["Track", "signup"], ["init", { trackurl: "/" }]]</script>',
    }),
    finds: ({ site }) => [
      `The script at ${site.url}/dist/nowhere.js has not loaded: the answer is 404. Check the address in src. Calls wait (3).`,
      'There is no verb "Track", which push was given: perhaps "track" is meant.',
      "trackurl, given to init, is no option: perhaps trackUrl, given to init,",
    ],
  },
  {
    what: "a script that a consent tool has disarmed",
    shown: () => ({ tag: { attributes: { type: "text/plain" } } }),
    finds: ['its type is "text/plain", so the browser does not run it'],
  },
  {
    what: "a script that is a web page",
    shown: ({ site }) => {
      site.page("/web-page.js", "<h1>Not found</h1>", { type: "text/html" });
      return { tag: { src: "/web-page.js" } };
    },
    // The browser takes the page for a script, and finds it wrong.
    isThrowing: true,
    finds: ["the answer is a web page (HTML), and no script"],
  },
  {
    what: "a script that nobody answers for, as where an extension blocks it",
    shown: ({ site }) => ({ tag: { src: site.url.replace(/\d+$/, "9") } }),
    finds: ["has not loaded: nothing answers there."],
  },
  {
    what: "a hash of another file",
    shown: () => ({ tag: { attributes: { integrity: hashOf("another build") } } }),
    finds: ["the file there is not the one that integrity names"],
  },
  {
    what: "a hash without crossorigin",
    shown: ({ site }) => {
      site.page("/open.js", "", { headers: { "access-control-allow-origin": "*" } });
      return { tag: { src: `${site.at("localhost")}/open.js`, attributes: { integrity: hashOf("") } } };
    },
    finds: ["the tag has integrity, but no crossorigin"],
  },
  {
    what: "crossorigin where the host does not let the page read",
    shown: ({ site }) => {
      site.page("/closed.js", "");
      return { tag: { src: `${site.at("localhost")}/closed.js`, attributes: { crossorigin: "" } } };
    },
    finds: ["its host does not let this page read it, which crossorigin asks for"],
  },
  {
    what: "a policy that forbids the script",
    options: ({ site, gateway }) => ({ headers: createPolicy(`${gateway.url} ${site.url}`).headers }),
    after: nothing,
    finds: ["the page's Content-Security-Policy forbids it. Name its host in script-src"],
  },
  {
    what: "a script that is gone where the policy keeps the panel from asking why",
    shown: ({ site }) => ({
      tag: { src: `${site.at("localhost").replace(/\d+$/, "9")}/nowhere.js`, attributes: { nonce: POLICY.nonce } },
      identify: false,
    }),
    options: () => ({ headers: POLICY.headers }),
    after: nothing,
    finds: ["why, this panel cannot ask: the page's connect-src forbids it"],
  },
];

const POLICY = createPolicy("https://elsewhere.example");

for (const { what, shown = () => ({}), options, before = nothing, after, finds, shows = [], isThrowing } of MISTAKES)
  test(`The inspector finds ${what}`, async ({ page, site, gateway, guard }) => {
    if (isThrowing) guard.allow();
    const stage = { page, site, gateway };
    site.page("/shop", shown(stage), options?.(stage));
    await page.goto(`${site.url}/shop`);
    await before(stage);
    await inspect(page);
    await (after ?? (({ page }) => track(page, "tracked")))(stage);
    for (const text of typeof finds === "function" ? finds(stage) : finds)
      await expect(findings(page)).toContainText(text);
    for (const text of shows) await expect(panel(page)).toContainText(text);
  });

test("The inspector finds a page that was opened as a file, where the tag asks for crossorigin", async ({
  page,
}, info) => {
  const file = info.outputPath("page.html");
  const src = pathToFileURL(join(DIST, "tracklet.iife.js"));
  await writeFile(
    file,
    `<script src="${src}" crossorigin data-api-token="t" data-track-url="https://a.example"></script>`,
  );
  await page.goto(pathToFileURL(file).href);
  await page.addScriptTag({ path: join(DIST, "tracklet.inspector.js") });
  await expect(panel(page)).toContainText(
    "a page that was opened as a file may not load it with crossorigin or integrity",
  );
});
