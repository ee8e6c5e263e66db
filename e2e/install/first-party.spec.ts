import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright/test";
import { findProgram } from "../../test/support/engines.js";
import { readmeBlocks } from "../../test/support/readme.js";
import { test as base, expect } from "../harness/fixtures.js";
import { type Front, type Places, place, startRewrites, startWorker } from "../harness/front.js";
import { DEMO_TOKEN } from "../harness/tag.js";
import { startCaddy, startNginx } from "../harness/web-servers.js";

/* The script and the service behind the site's own domain, under other names, by each of the README's recipes. */

const SECTION = "First-party delivery";
const DIST = fileURLToPath(new URL("../../dist", import.meta.url));
const recipe = (name: string) => readFile(new URL(`../../demo/recipes/${name}`, import.meta.url), "utf8");

/** A recipe that is a module, with the addresses of the test. */
const load = async (name: string, { cdn, service }: Places) => {
  const code = place(await recipe(name), { "https://cdn.example.com": cdn, "https://track.example.com": service });
  return (await import(`data:text/javascript,${encodeURIComponent(code)}`)).default;
};

interface Way {
  name: string;
  /** The program that it needs and that is not here. */
  missing?: string;
  start: (places: Places) => Promise<Front>;
}

const server = (name: string, start: (program: string, places: Places) => Promise<Front>): Way => {
  const program = findProgram(name);
  return program === undefined
    ? { name, missing: name, start: () => Promise.reject(new Error(`${name} is not installed`)) }
    : { name, start: (places) => start(program, places) };
};

const WAYS: Way[] = [
  server("nginx", startNginx),
  server("caddy", startCaddy),
  {
    name: "Next.js rewrites",
    start: async (places) => startRewrites(await (await load("next.config.mjs", places)).rewrites(), places),
  },
  { name: "a Cloudflare worker", start: async (places) => startWorker(await load("worker.js", places), places) },
];

interface Fixtures {
  way: Way;
  front: Front;
}

const test = base.extend<Fixtures>({
  way: [WAYS[0]!, { option: true }],
  front: async ({ way, site, gateway, contact }, use) => {
    const [tag] = await readmeBlocks(SECTION, "html");
    const own = place(tag!, { YOUR_API_TOKEN: DEMO_TOKEN, "data-name": `data-contact-uid="${contact}" data-name` });
    site.page("/", site.html({ tag: false, identify: false, head: own }));
    const front = await way.start({
      site: site.url,
      service: gateway.url,
      cdn: `${site.url}/dist`,
      folder: DIST,
    });
    await use(front);
    await front.close();
  },
});

const trackInShop = (page: Page, uid: string) =>
  page.evaluate((name) => {
    window.shop.push(["track", name]);
  }, uid);

for (const way of WAYS) {
  const { name, missing } = way;
  test.describe(missing ? `${name}, which is not installed here` : name, () => {
    test.use({ way });
    test.skip(missing !== undefined, `${missing} is not installed: apt-get install ${missing}`);

    test("events come by the site's names, without its cookies", async ({
      context,
      page,
      front,
      gateway,
      expectRows,
    }) => {
      await context.addCookies([{ name: "session", value: "secret", url: front.url }]);
      const asked: string[] = [];
      page.on("request", (request) => asked.push(request.url().replace(/\?.*/, "")));
      await page.goto(front.url);
      await page.waitForFunction("!Array.isArray(window.shop ?? [])");
      await trackInShop(page, "bought");
      await expectRows(["pageview", "bought"]);
      expect(new Set(asked)).toEqual(new Set(["/", "/i/lib.js", "/i/e"].map((path) => `${front.url}${path}`)));
      expect(await page.evaluate(() => "tracklet" in window)).toBe(false);

      // A page of the site may send its cookies wherever it likes within the site.
      const mixed = await page.evaluate(async (token) => {
        const answer = await fetch(`/i/e?api_token=${token}`, { method: "POST", body: "{}", credentials: "include" });
        return answer.status;
      }, DEMO_TOKEN);
      expect(mixed).toBe(400);
      expect(gateway.posts()).toHaveLength(3);
      for (const { url, headers } of gateway.posts()) {
        expect(url).toBe(`/v1/track/event?api_token=${DEMO_TOKEN}`);
        if (name !== "Next.js rewrites") expect(headers.cookie ?? "").toBe("");
      }
    });

    test("statuses and Retry-After come through as they are", async ({ page, front, gateway, guard }) => {
      guard.allow();
      await page.goto(`${front.url}/nowhere`);
      for (const status of [200, 400, 401, 403, 404, 413, 422, 425, 429, 500, 503]) {
        await gateway.fail({ status, retryAfter: 7 });
        const answer = await page.evaluate(async (token) => {
          const { status, headers } = await fetch(`/i/e?api_token=${token}`, { method: "POST", body: "{}" });
          return [status, headers.get("Retry-After")];
        }, DEMO_TOKEN);
        expect(answer).toEqual([status, "7"]);
      }
    });
  });
}

base("the README shows the recipes as they are", async () => {
  const shown = {
    nginx: "nginx.conf",
    caddyfile: "Caddyfile",
    js: "next.config.mjs",
  };
  for (const [language, file] of Object.entries(shown))
    expect((await readmeBlocks(SECTION, language))[0], file).toBe(await recipe(file));
  expect((await readmeBlocks(SECTION, "js"))[1]).toBe(await recipe("worker.js"));
});
