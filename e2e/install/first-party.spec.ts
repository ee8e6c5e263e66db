import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { findProgram } from "../../test/support/engines.js";
import { launch } from "../../test/support/launch.js";
import { freePort } from "../../test/support/ports.js";
import { readmeBlocks } from "../../test/support/readme.js";
import { waitFor } from "../../test/support/wait.js";
import { expect, type TestFixtures, test } from "../harness/fixtures.js";
import { place } from "../harness/install.js";
import { DEMO_TOKEN } from "../harness/tag.js";

/* The script and the service behind the site's own domain, under other names, by each of the documents' recipes. */

const SECTION = "First-party delivery";
const DIST = fileURLToPath(new URL("../../dist", import.meta.url));
const recipe = (name: string) => readFile(new URL(`../../demo/recipes/${name}`, import.meta.url), "utf8");
const STATUSES = [200, 400, 401, 403, 404, 413, 422, 425, 429, 500, 503];

/** Runs a program in a folder, with its files and the port that it is to listen at, until it answers. */
const run = async (
  program: string,
  folder: string,
  { args, files, env }: { args: string[]; files: Record<string, string>; env: Record<string, string> },
) => {
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
  const server = launch(program, args, { cwd: folder, env });
  const isAnswering = (): Promise<boolean> => {
    if (!server.isRunning()) throw new Error(`${program} ended at once:\n${server.said()}`);
    // Next.js builds its route when it is first asked for.
    return fetch(`http://127.0.0.1:${env.PORT}/i/none`).then(
      () => true,
      () => false,
    );
  };
  await waitFor(isAnswering, { what: `${program} to answer` });
  return { url: `http://127.0.0.1:${env.PORT}`, close: () => server.end("SIGTERM") };
};

/** What a recipe is given in place of what it shows: the website, the service, and the folder of the built script. */
type Places = Record<"site" | "service", string>;

/** Web servers with the recipe, which pass everything else on to the site. */
const WEB_SERVERS = {
  nginx: async (port: string, folder: string, { site, service }: Places) => ({
    args: ["-p", folder, "-c", join(folder, "main.conf"), "-e", join(folder, "error.log")],
    files: {
      "recipe.conf": place(await recipe("nginx.conf"), { "https://track.example.com": service, "/var/www": DIST }),
      "main.conf": `
        daemon off;
        ${process.getuid?.() === 0 ? "user root;" : ""}
        worker_processes 1;
        pid ${folder}/nginx.pid;
        events {}
        http {
          access_log off;
          ${["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((kind) => `${kind}_temp_path ${folder}/${kind};`).join("\n")}
          server {
            listen 127.0.0.1:${port};
            include ${folder}/recipe.conf;
            location / { proxy_pass ${site}; }
          }
        }`,
    },
  }),
  caddy: async (port: string, folder: string, { site, service }: Places) => ({
    args: ["run", "--config", join(folder, "Caddyfile"), "--adapter", "caddyfile"],
    files: {
      Caddyfile: `{\n  admin off\n}\n${place(await recipe("Caddyfile"), {
        "shop.example {": `http://127.0.0.1:${port} {\n  handle {\n    reverse_proxy ${site}\n  }\n`,
        "https://track.example.com": service,
        "/var/www": DIST,
      })}`,
    },
  }),
};

const ask = (url: string, options: RequestInit = {}) => fetch(url, { ...options, redirect: "manual" });
const post = (url: string, path: string, body: string) =>
  ask(`${url}${path}?api_token=${DEMO_TOKEN}`, {
    method: "POST",
    body,
    headers: { "Content-Type": "application/json", cookie: "session=secret" },
  });

type Fixtures = Pick<TestFixtures, "gateway" | "contact" | "expectRows">;

/** Events, one and several, come through without the site's cookies, and answers as they are, without the service's. */
const expectPassed = async (url: string, { gateway, contact, expectRows }: Fixtures): Promise<void> => {
  const event = (event_uid: string) => JSON.stringify({ contact_uid: contact, event_uid, params: {} });
  const one = await post(url, "/i/e", event("one"));
  expect([one.status, one.headers.get("Tracklet-Batch")]).toEqual([200, expect.stringMatching(/^\d+$/)]);
  const several = await post(url, "/i/es", `[${event("two")},{},${event("three")}]`);
  expect(several.status).toBe(207);
  expect((await several.json()).map(({ status }: { status: string }) => status)).toEqual([
    "stored",
    "refused",
    "stored",
  ]);
  await expectRows(["one", "two", "three"]);
  for (const { headers } of gateway.posts()) {
    expect(headers.cookie ?? "").toBe("");
    expect(headers["x-forwarded-for"]).toMatch(/127\.0\.0\.1|::1/);
  }
  for (const status of STATUSES) {
    await gateway.fail({ status, retryAfter: 7, headers: { "set-cookie": "spy=1" } });
    const { headers, status: answered } = await post(url, "/i/e", "{}");
    expect([answered, headers.get("Retry-After"), headers.get("Set-Cookie")]).toEqual([status, "7", null]);
  }
  await gateway.heal();
};

for (const name of ["nginx", "caddy"] as const)
  test(`Behind ${name}, events come by the site's names, without its cookies, and answers come through as they are`, async ({
    page,
    site,
    gateway,
    contact,
    expectRows,
  }, info) => {
    const program = findProgram(name);
    test.skip(!program, `${name} is not installed: apt-get install ${name}`);
    const [tag] = await readmeBlocks(SECTION, "html");
    const own = place(tag!, { YOUR_API_TOKEN: DEMO_TOKEN, "data-name": `data-contact-uid="${contact}" data-name` });
    site.page("/", { tag: false, identify: false, head: own });
    const folder = info.outputPath("front");
    await mkdir(folder, { recursive: true });
    const port = `${await freePort()}`;
    const env = { PORT: port, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
    const set = await WEB_SERVERS[name](port, folder, { site: site.url, service: gateway.url });
    const front = await run(program!, folder, { ...set, env });
    await expectPassed(front.url, { gateway, contact, expectRows });
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url().replace(/\?.*/, "")));
    await page.goto(front.url);
    await page.waitForFunction("!Array.isArray(window.shop ?? [])");
    await page.evaluate(() => void window.shop.push(["track", "bought"]));
    await expectRows(["one", "two", "three", "pageview", "bought"]);
    expect(new Set(asked)).toEqual(new Set(["/", "/i/lib.js", "/i/e"].map((path) => `${front.url}${path}`)));
    expect(await page.evaluate(() => "tracklet" in window)).toBe(false);
    const urls = new Set(gateway.posts().map(({ url }) => url));
    expect(urls).toEqual(new Set(["event", "events"].map((path) => `/v1/track/${path}?api_token=${DEMO_TOKEN}`)));
    await front.close();
  });

for (const [app, args] of [
  ["hono", ["server.js"]],
  ["next-server", ["../node_modules/next/dist/bin/next", "dev"]],
] as const)
  test(`In an app's own server, ${app}, the recipe serves the scripts, and passes on events, one and several, and answers`, async ({
    site,
    gateway,
    contact,
    expectRows,
  }) => {
    const folder = fileURLToPath(new URL(`../apps/${app}`, import.meta.url));
    const shown = { "https://cdn.example.com": `${site.url}/dist`, "https://track.example.com": gateway.url };
    const front = await run(process.execPath, folder, {
      args: [...args],
      files: { "first-party.js": place(await recipe("first-party.js"), shown) },
      env: { NEXT_TELEMETRY_DISABLED: "1", PORT: `${await freePort()}` },
    });
    for (const [path, file] of Object.entries({
      "/i/lib.js": "tracklet.iife.js",
      "/i/look.js": "tracklet.inspector.js",
    }))
      expect(await (await ask(front.url + path)).text()).toBe(await readFile(`${DIST}/${file}`, "utf8"));
    await expectPassed(front.url, { gateway, contact, expectRows });
    // More than an event may have is not passed on.
    const before = gateway.posts().length;
    expect((await post(front.url, "/i/e", "x".repeat(300_001))).status).toBe(413);
    expect(gateway.posts()).toHaveLength(before);
    await gateway.fail("reset");
    expect((await post(front.url, "/i/e", "{}")).status).toBe(503);
    await front.close();
  });
