import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { expect, test, track } from "../harness/fixtures.js";
import { findings, inspect, panel, visit } from "../harness/inspector.js";
import { createPolicy } from "../harness/policy.js";

/* Why a tag's script has not loaded, in words. */

const DIST = fileURLToPath(new URL("../../dist/", import.meta.url));
const SCRIPT = "/dist/tracklet.iife.js";
const hashOf = (content: string) => `sha384-${createHash("sha384").update(content).digest("base64")}`;

test.beforeEach(({ site }) => {
  site.page("/web-page.js", "<h1>Not found</h1>", { type: "text/html" });
  site.page("/open.js", "", { headers: { "access-control-allow-origin": "*" } });
  site.page("/closed.js", "");
});

test("there is no tag, and calls wait or do not", async ({ page, site }) => {
  await visit(page, site, { tag: false, head: '<script>window.tracklet = [["track", "signup"]]</script>' });
  await inspect(page);
  await expect(findings(page)).toContainText("The script has not loaded, and calls wait (1): check the tag's address");
  await visit(page, site, { tag: false, identify: false });
  await inspect(page);
  await expect(findings(page)).toContainText("There is no tracker on this page: no global is called tracklet.");
});

test("the address is wrong, and what was called is looked at", async ({ page, site, guard }) => {
  await visit(page, site, {
    tag: { src: "/dist/nowhere.js" },
    head: '<script>window.tracklet = [["Track", "signup"], ["init", { trackurl: "/" }]]</script>',
  });
  await track(page, "early");
  await inspect(page);
  await expect(findings(page)).toContainText(
    `The script at ${site.url}/dist/nowhere.js has not loaded: the answer is 404. Check the address in src. Calls wait (4).`,
  );
  await expect(findings(page)).toContainText(
    'There is no verb "Track", which push was given: perhaps "track" is meant.',
  );
  await expect(findings(page)).toContainText("trackurl, given to init, is no option: perhaps trackUrl, given to init,");

  // The browser takes the page for a script, and finds it wrong.
  guard.allow();
  await visit(page, site, { tag: { src: "/web-page.js" } });
  await inspect(page);
  await expect(findings(page)).toContainText("the answer is a web page (HTML), and no script");
});

test("nothing answers, as where an extension blocks it", async ({ page, site }) => {
  await page.route("**/tracklet.iife.js", (route) => route.abort("blockedbyclient"));
  await visit(page, site);
  await inspect(page);
  await expect(findings(page)).toContainText(
    `The script at ${site.url}${SCRIPT} has not loaded: nothing answers there.`,
  );
});

test("the hash is another file's", async ({ page, site }) => {
  await visit(page, site, { tag: { attributes: { integrity: hashOf("another build") } } });
  await inspect(page);
  await expect(findings(page)).toContainText("the file there is not the one that integrity names");
});

test("crossorigin is missing, or asks for what the host does not send", async ({ page, site }) => {
  const other = site.at("localhost");
  const integrity = hashOf("");
  await visit(page, site, { tag: { src: `${other}/open.js`, attributes: { integrity } } });
  await inspect(page);
  await expect(findings(page)).toContainText("the tag has integrity, but no crossorigin");

  await visit(page, site, { tag: { src: `${other}/closed.js`, attributes: { crossorigin: "" } } });
  await inspect(page);
  await expect(findings(page)).toContainText("its host does not let this page read it, which crossorigin asks for");
});

test("the page's policy forbids it, whether or not this panel may ask", async ({ page, site, gateway }) => {
  const { headers } = createPolicy(`${gateway.url} ${site.url}`);
  site.page("/shop", site.html(), { headers });
  await page.goto(`${site.url}/shop`);
  await inspect(page);
  await expect(findings(page)).toContainText(
    "the page's Content-Security-Policy forbids it. Name its host in script-src",
  );

  // Its script is allowed, but gone, and the panel's own question is forbidden.
  const { nonce, headers: strict } = createPolicy(gateway.url);
  const tag = { src: `${site.at("localhost")}/nowhere.js`, attributes: { nonce } };
  await page.route("**/nowhere.js", (route) => route.abort());
  site.page("/shop", site.html({ tag, identify: false }), { headers: strict });
  await page.goto(`${site.url}/shop`);
  await inspect(page);
  await expect(findings(page)).toContainText("why, this panel cannot ask: the page's connect-src forbids it");
});

test("the page was opened as a file", async ({ page }) => {
  const folder = await mkdtemp(join(tmpdir(), "tracklet-file-"));
  const script = await readFile(join(DIST, "tracklet.iife.js"), "utf8");
  await writeFile(join(folder, "tracklet.iife.js"), script);
  await writeFile(
    join(folder, "page.html"),
    `<script src="tracklet.iife.js" integrity="${hashOf(script)}" crossorigin data-api-token="t" data-track-url="https://a.example"></script>`,
  );
  await page.goto(pathToFileURL(join(folder, "page.html")).href);
  await page.addScriptTag({ path: join(DIST, "tracklet.inspector.js") });
  await expect(panel(page)).toContainText(
    "a page that was opened as a file may not load it with crossorigin or integrity",
  );
  await rm(folder, { recursive: true });
});
