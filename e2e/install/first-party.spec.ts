import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { findProgram } from "../../test/support/engines.js";
import { launch } from "../../test/support/launch.js";
import { freePort } from "../../test/support/ports.js";
import { readmeBlocks } from "../../test/support/readme.js";
import { waitFor } from "../../test/support/wait.js";
import { askForApp } from "../apps/builder.js";
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
    const post = (path = "/i/e", body = "{}") =>
      page.evaluate(
        async ([address, body]) => {
          const { status, headers } = await fetch(address!, { method: "POST", body, credentials: "include" });
          return [status, headers.get("Retry-After"), headers.get("Tracklet-Batch")];
        },
        [`${path}?api_token=${DEMO_TOKEN}`, body],
      );
    expect((await post())[0]).toBe(400);
    expect(await post("/i/es", "[]")).toEqual([200, null, expect.stringMatching(/^\d+$/)]);
    expect(gateway.posts().map(({ url }) => url.replace(/\?.*/, "").slice(-6))).toEqual([
      ...["/event", "/event", "/event", "events"],
    ]);
    for (const { url, headers } of gateway.posts()) {
      expect(url).toContain(`?api_token=${DEMO_TOKEN}`);
      expect(headers.cookie ?? "").toBe("");
    }
    guard.allow();
    for (const status of STATUSES) {
      await gateway.fail({ status, retryAfter: 7 });
      expect((await post()).slice(0, 2)).toEqual([status, "7"]);
    }
    await front.close();
  });

/** Runs one of the apps with the recipe beside it until it answers; `args` are those of Node, in the app's folder. */
const startApp = async (app: string, args: (port: number) => string[], places: Record<"cdn" | "service", string>) => {
  // It waits until the frameworks are installed.
  const folder = join(await askForApp("vitest"), "..", app);
  const shown = { "https://cdn.example.com": places.cdn, "https://track.example.com": places.service };
  await writeFile(join(folder, "first-party.js"), place(await recipe("first-party.js"), shown));
  const port = await freePort();
  const env = { ...process.env, NODE_OPTIONS: "", NEXT_TELEMETRY_DISABLED: "1", PORT: `${port}` };
  const server = launch(process.execPath, args(port), { cwd: folder, env });
  const url = `http://127.0.0.1:${port}`;
  await waitFor(
    () =>
      fetch(`${url}/i/none`).then(
        ({ status }) => status === 404,
        () => false,
      ),
    { what: `${app} to answer` },
  );
  return { url, close: () => server.end("SIGTERM") };
};

for (const [app, args] of [
  ["hono", () => ["server.js"]],
  ["next-server", (port) => ["../node_modules/next/dist/bin/next", "dev", "--port", `${port}`]],
] as [string, (port: number) => string[]][])
  test(`In an app's own server, ${app}, the recipe serves the scripts, and passes on events, one and several, and answers`, async ({
    site,
    gateway,
    contact,
    expectRows,
  }) => {
    test.setTimeout(1_200_000);
    const front = await startApp(app, args, { cdn: `${site.url}/dist`, service: gateway.url });
    const ask = (path: string, options: RequestInit = {}) =>
      fetch(front.url + path, { ...options, redirect: "manual" });
    const post = (path: string, body: string) =>
      ask(`${path}?api_token=${DEMO_TOKEN}`, {
        method: "POST",
        body,
        headers: { "Content-Type": "application/json", cookie: "session=secret" },
      });
    for (const [path, file] of Object.entries({
      "/i/lib.js": "tracklet.iife.js",
      "/i/look.js": "tracklet.inspector.js",
    }))
      expect(await (await ask(path)).text()).toBe(await readFile(`${DIST}/${file}`, "utf8"));

    const event = (event_uid: string) => JSON.stringify({ contact_uid: contact, event_uid, params: {} });
    const one = await post("/i/e", event("one"));
    expect([one.status, one.headers.get("Tracklet-Batch")]).toEqual([200, expect.stringMatching(/^\d+$/)]);
    const several = await post("/i/es", `[${event("two")},{},${event("three")}]`);
    expect(several.status).toBe(207);
    expect((await several.json()).map(({ status }: { status: string }) => status)).toEqual([
      "stored",
      "refused",
      "stored",
    ]);
    await expectRows(["one", "two", "three"]);
    for (const { headers } of gateway.posts()) {
      expect(headers.cookie).toBeUndefined();
      expect(headers["x-forwarded-for"]).toMatch(/127\.0\.0\.1|::1/);
    }

    // More than an event may have is not passed on.
    expect((await post("/i/e", event("x".repeat(300_000)))).status).toBe(413);
    expect(gateway.posts()).toHaveLength(2);
    for (const status of STATUSES) {
      await gateway.fail({ status, retryAfter: 7, headers: { "set-cookie": "spy=1" } });
      const answer = await post("/i/e", "{}");
      expect([answer.status, answer.headers.get("Retry-After"), answer.headers.get("Set-Cookie")]).toEqual([
        status,
        "7",
        null,
      ]);
    }
    await gateway.fail("reset");
    expect((await post("/i/e", event("lost"))).status).toBe(503);
    await front.close();
  });
