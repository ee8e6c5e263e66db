/*
 * `npm run bench`: what the built script costs a page, in a real Chromium against the real service, as ratios to the
 * bare calls of the browser that any code with the same promises must make. It prints and never fails on a figure.
 */
import { brotliCompressSync, gzipSync } from "node:zlib";
import { benchCalls } from "./call.js";
import { benchDrain } from "./drain.js";
import { openStage } from "./stage.js";
import { benchStart } from "./start.js";
import { type Comparison, comparisonTable } from "./table.js";
import { benchWork } from "./work.js";

const BENCHES = { call: benchCalls, work: benchWork, start: benchStart, drain: benchDrain };

const LEGEND = `bare is, of the same event and in the same browser:
  track()      JSON.stringify + localStorage.setItem, one call a task ("from 0 queued": up to 120 wait at the end)
  main thread  the same + keepalive fetch with its answer read + removeItem, in CPU time of tasks, less the pace's own
  script       an inline script of the same bytes in a function that is never called: insertion and parsing alone;
               then the storage is opened, too; then it is a peer with its page view, which keeps nothing in the storage
  drain        keepalive fetches with their answers read`;

const only = process.argv.slice(2);
const stage = await openStage();
try {
  const comparisons: Comparison[] = [];
  for (const [name, bench] of Object.entries(BENCHES)) {
    if (only.length && !only.includes(name)) continue;
    const began = performance.now();
    comparisons.push(...(await bench(stage)));
    console.error(`measured: ${name} (${((performance.now() - began) / 1_000).toFixed(0)} s)`);
  }
  console.log(`\nChromium ${stage.version}; medians over interleaved rounds, and the range of a round's ratio\n`);
  console.log(`${comparisonTable(comparisons)}\n\n${LEGEND}`);
  const bundle = Buffer.from(stage.bundle);
  const gzip = gzipSync(bundle, { level: 9 }).length;
  console.log(`\nbytes: ${bundle.length} raw, ${gzip} gzip, ${brotliCompressSync(bundle).length} brotli\n`);
} finally {
  await stage.close();
}
if (only.length === 0) await import("../../test/bench/read.bench.js");
