import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { findProgram } from "../../test/support/engines.js";
import { readmeBlocks } from "../../test/support/readme.js";
import { expect, test } from "../harness/fixtures.js";
import { place } from "../harness/install.js";
import { DEMO_TOKEN } from "../harness/tag.js";
import { startCaddy, startNginx } from "../harness/web-servers.js";

/* The script and the service behind the site's own domain, under other names, by each of the documents' recipes. */

const SECTION = "First-party delivery";
const DIST = fileURLToPath(new URL("../../dist", import.meta.url));
const recipe = (name: string) => readFile(new URL(`../../demo/recipes/${name}`, import.meta.url), "utf8");
const STATUSES = [200, 400, 401, 403, 404, 413, 422, 425, 429, 500, 503];

for (const [name, start] of [
  ["nginx", startNginx],
  ["caddy", startCaddy],
] as const)
  test(`Behind ${name}, events come by the site's names, without its cookies, and answers come through as they are`, async ({
    context,
    page,
    site,
    gateway,
    contact,
    guard,
    expectRows,
  }) => {
    const program = findProgram(name);
    test.skip(!program, `${name} is not installed: apt-get install ${name}`);
    const [tag] = await readmeBlocks(SECTION, "html");
    const own = place(tag!, { YOUR_API_TOKEN: DEMO_TOKEN, "data-name": `data-contact-uid="${contact}" data-name` });
    site.page("/", { tag: false, identify: false, head: own });
    const front = await start(program!, { site: site.url, service: gateway.url, folder: DIST });
    await context.addCookies([{ name: "session", value: "secret", url: front.url }]);
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url().replace(/\?.*/, "")));
    await page.goto(front.url);
    await page.waitForFunction("!Array.isArray(window.shop ?? [])");
    await page.evaluate(() => void window.shop.push(["track", "bought"]));
    await expectRows(["pageview", "bought"]);
    expect(new Set(asked)).toEqual(new Set(["/", "/i/lib.js", "/i/e"].map((path) => `${front.url}${path}`)));
    expect(await page.evaluate(() => "tracklet" in window)).toBe(false);

    // A page of the site may send its cookies wherever it likes within the site.
    const post = () =>
      page.evaluate(async (token) => {
        const options = { method: "POST", body: "{}", credentials: "include" } as const;
        const { status, headers } = await fetch(`/i/e?api_token=${token}`, options);
        return [status, headers.get("Retry-After")];
      }, DEMO_TOKEN);
    expect((await post())[0]).toBe(400);
    expect(gateway.posts()).toHaveLength(3);
    for (const { url, headers } of gateway.posts()) {
      expect(url).toBe(`/v1/track/event?api_token=${DEMO_TOKEN}`);
      expect(headers.cookie ?? "").toBe("");
    }
    guard.allow();
    for (const status of STATUSES) {
      await gateway.fail({ status, retryAfter: 7 });
      expect(await post()).toEqual([status, "7"]);
    }
    await front.close();
  });

/** A recipe that is a module, with the addresses of the test. */
const load = async (name: string, { cdn, service }: Record<"cdn" | "service", string>) => {
  const code = place(await recipe(name), { "https://cdn.example.com": cdn, "https://track.example.com": service });
  return (await import(`data:text/javascript,${encodeURIComponent(code)}`)).default;
};

test("The worker's recipe serves the script, and passes events on without cookies, and answers as they are", async ({
  site,
  gateway,
}) => {
  const worker: { fetch: (request: Request) => Promise<Response> } = await load("worker.js", {
    cdn: `${site.url}/dist`,
    service: gateway.url,
  });
  const ask = (path: string, options?: RequestInit) =>
    worker.fetch(new Request(`http://shop.example${path}`, { ...options, headers: { cookie: "session=secret" } }));
  expect(await (await ask("/i/lib.js")).text()).toBe(await readFile(`${DIST}/tracklet.iife.js`, "utf8"));
  expect((await ask("/elsewhere")).status).toBe(404);
  for (const status of STATUSES) {
    await gateway.fail({ status, retryAfter: 7, headers: { "set-cookie": "spy=1" } });
    const answer = await ask("/i/e?api_token=x", { method: "POST", body: "{}" });
    expect([answer.status, answer.headers.get("Retry-After"), answer.headers.get("Set-Cookie")]).toEqual([
      status,
      "7",
      null,
    ]);
  }
  for (const { url, headers, body } of gateway.posts())
    expect([url, headers.cookie, body]).toEqual(["/v1/track/event?api_token=x", undefined, "{}"]);
});

test("The documents show the recipes as they are, and that of Next.js names the script and the service", async () => {
  const [cdn, service] = ["https://cdn.test", "https://service.test"];
  expect(await (await load("next.config.mjs", { cdn, service })).rewrites()).toEqual([
    { source: "/i/lib.js", destination: `${cdn}/tracklet.iife.js` },
    { source: "/i/e", destination: `${service}/v1/track/event` },
  ]);
  for (const [language, file] of Object.entries({ nginx: "nginx.conf", caddyfile: "Caddyfile", js: "next.config.mjs" }))
    expect((await readmeBlocks(SECTION, language))[0], file).toBe(await recipe(file));
  expect((await readmeBlocks(SECTION, "js"))[1]).toBe(await recipe("worker.js"));
});
