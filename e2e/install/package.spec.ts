import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { pack } from "../../test/support/packed.js";
import { readFiles } from "../apps/serve.js";
import { expect, test } from "../harness/fixtures.js";
import { DEMO_TOKEN } from "../harness/tag.js";

/* The package as npm hands it out: installed into an app of its own, bundled by Vite, run in the browser. */

const VITE = fileURLToPath(new URL("../../node_modules/vite/bin/vite.js", import.meta.url));
const HTML = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>An app</title></head>
<body><button>Pay</button><script type="module" src="/main.js"></script></body></html>`;

/** Builds an app for production; resolves to what is to be served, by path. */
const build = async (app: string, main: string, env: Record<string, string> = {}) => {
  await writeFile(join(app, "index.html"), HTML);
  await writeFile(join(app, "main.js"), main);
  await promisify(execFile)(process.execPath, [VITE, "build", "--logLevel", "error"], {
    cwd: app,
    env: { ...process.env, NODE_ENV: "production", NODE_OPTIONS: "", ...env },
  });
  return readFiles(join(app, "dist"));
};

test(
  "An app that Vite has built of the packed package has its events stored, and ships nothing of what it does not use",
  {
    tag: "@core",
  },
  async ({ page, site, gateway, contact, expectRows }, info) => {
    const packed = await pack(info.outputPath("package"));
    await packed.install();
    const main = `
    import { flush, identify, init, track } from "tracklet";
    init({ apiToken: import.meta.env.VITE_TOKEN, trackUrl: import.meta.env.VITE_TRACK_URL, onError: console.error });
    identify(import.meta.env.VITE_CONTACT, "account-01");
    document.querySelector("button").onclick = () => track("invoice_paid", { amount: 49 });
    window.flushed = flush;
  `;
    const env = { VITE_TOKEN: DEMO_TOKEN, VITE_TRACK_URL: gateway.url, VITE_CONTACT: contact };
    for (const [path, text] of await build(packed.app, main, env)) site.page(path === "/index.html" ? "/" : path, text);

    await page.goto(site.url);
    await page.getByRole("button").click();
    const rows = await expectRows(["pageview", "invoice_paid"]);
    const { params } = rows.find(({ event_uid }) => event_uid === "invoice_paid")!;
    expect(params).toMatchObject({ account_uid: "account-01", amount: 49 });
    await expect(page.evaluate("window.flushed()")).resolves.toMatchObject({ queued: 0, dropped: 0 });

    const unused = `import "tracklet"; import { track } from "tracklet"; import { createReader } from "tracklet/read";
    import { sendEvent } from "tracklet/send"; console.log("the app");`;
    const files = await build(packed.app, unused);
    const scripts = [...files].filter(([path]) => path.endsWith(".js")).map(([, text]) => text);
    expect(scripts).toHaveLength(1);
    // What Vite itself adds are its lines for module preloading.
    expect(scripts[0]).toContain("the app");
    expect(scripts[0]).not.toMatch(/v1\/track|Bearer|api_token|localStorage/);
  },
);
