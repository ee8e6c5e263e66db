/*
 * `npm run bench`: what the built script costs a page, in a real Chromium against the real service, beside the bare calls
 * of the browser that any code with the same promises must make. It prints and never fails on a figure. With names
 * (`npm run bench -- start`) it runs these alone.
 */
import { readFileSync } from "node:fs";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { startService } from "../../../test/support/service.js";
import { launchChromium } from "../../harness/chromium.js";
import { startProxy } from "../../harness/proxy.js";
import { startSite } from "../../harness/site.js";
import { toldOf } from "./figures.js";
import { benchStart } from "./start.js";
import { benchWork } from "./work.js";

const BENCHES = { start: benchStart, work: benchWork };

const LEGEND = `bare is, of the same event and in the same browser:
  loaded       the other script, in CPU time of the main thread's tasks, the quickest of five loads
  main thread  JSON.stringify + setItem + keepalive fetch with its answer read + removeItem, in CPU time of tasks, less the
               pace's own`;

const only = process.argv.slice(2);
// Read once: a build that ends meanwhile changes nothing in the middle of a run.
const bundle = readFileSync("dist/tracklet.iife.js", "utf8");
const service = await startService();
const gateway = await startProxy({ target: service.url, keepConnections: true });
const site = await startSite();
const browser = await launchChromium();
const stage = { bundle, service, gateway, site, browser };
/** The real service, a proxy before it, a website and a Chromium. */
export type Stage = typeof stage;

try {
  for (const [name, bench] of Object.entries(BENCHES)) {
    if (only.length && !only.includes(name)) continue;
    const began = performance.now();
    console.table(Object.fromEntries((await bench(stage)).map((one) => [one.what, toldOf(one)])));
    console.error(`measured: ${name} (${((performance.now() - began) / 1_000).toFixed(0)} s)`);
  }
  console.log(
    `\nChromium ${browser.version()}; medians over interleaved rounds, and the range of a round's ratio\n${LEGEND}`,
  );
  const gzip = gzipSync(bundle, { level: 9 }).length;
  console.log(`\nbytes: ${bundle.length} raw, ${gzip} gzip, ${brotliCompressSync(bundle).length} brotli\n`);
} finally {
  await browser.close();
  await site.close();
  await gateway.close();
  await service.dispose();
}
