/** Prints the bytes of what a page loads or an app bundles; fails when one is over its budget, or the README says otherwise. */
import { readFileSync } from "node:fs";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { rollup } from "rollup";
import { minify } from "terser";

/** What `import { names } from "tracklet/entry"` costs an app: bundled and minified alone, but for what is not its own. */
const imported = async (names: string, entry: string, others = /(?!)/): Promise<string> => {
  const virtual = "\0app";
  const bundle = await rollup({
    input: virtual,
    plugins: [
      {
        name: "app",
        resolveId: (id) => (id === virtual ? id : null),
        load: (id) => (id === virtual ? `export { ${names} } from "./dist/${entry}.js";` : null),
        transform: (code) => code.replace(others, ""),
      },
    ],
  });
  const { output } = await bundle.generate({ format: "es" });
  const { code } = await minify(output[0].code, { module: true, ecma: 2020, compress: { passes: 3 } });
  return code!;
};

/**
 * Budgets in bytes after brotli 11, the quality that a CDN stores files with. The script may have 6,400 B by its design; until that is
 * met, its line stops it from growing.
 */
const MEASURED: [what: string, code: string, budget: number][] = [
  ["dist/tracklet.iife.js", readFileSync("dist/tracklet.iife.js", "utf8"), 7_503],
  ["import { init, identify, track }", await imported("init, identify, track", "index"), 7_986],
  // The verb alone: more than its own line would mean that a module does something as soon as it is loaded.
  ["import { track }", await imported("track", "index"), 128],
  ['import { createReader } from "tracklet/read"', await imported("createReader", "read"), 2_472],
  ['import { sendEvent } from "tracklet/send"', await imported("sendEvent", "send"), 1_952],
  // Beside the whole tracker, which it loads anew for each test.
  [
    'import { recordEvents } from "tracklet/test", its own code',
    await imported("recordEvents", "test", /^const loadTracker = .*^return exports;\n};$/ms),
    600,
  ],
];

for (const [what, code, budget] of MEASURED) {
  const brotli = brotliCompressSync(code).length;
  const gzip = gzipSync(code, { level: 9 }).length;
  console.log(`${what}: ${code.length} B raw, ${gzip} B gzip, ${brotli} B brotli (budget ${budget})`);
  if (brotli > budget) {
    console.error(`${what}: over its budget by ${brotli - budget} B`);
    process.exitCode = 1;
  }
}

const script = brotliCompressSync(MEASURED[0]![1]).length;
const readme = readFileSync("README.md", "utf8");
for (const told of [/is ([\d.]+) kB after brotli/, /^\| tracklet .*?, `tracklet\.iife\.js` +\| +([\d.]+) \|/m].map(
  (figure) => figure.exec(readme)?.[1],
))
  if (told !== (script / 1_000).toFixed(1)) {
    console.error(`README.md says ${told} kB, the script has ${script} B`);
    process.exitCode = 1;
  }
