/** Prints the bytes of what a page loads or an app bundles; fails when one is over its budget, or a page says otherwise. */
import { readFileSync } from "node:fs";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { rollup } from "rollup";
import { minify } from "terser";

/** What does not count: modules that the app has already, and a part of the code. */
interface Without {
  modules?: RegExp;
  code?: RegExp;
}

/** What `import { names } from "tracklet/entry"` costs an app: bundled and minified alone. */
const imported = async (names: string, entry: string, { modules, code: part }: Without = {}): Promise<string> => {
  const virtual = "\0app";
  const bundle = await rollup({
    input: virtual,
    ...(modules && { external: modules }),
    plugins: [
      {
        name: "app",
        resolveId: (id) => (id === virtual ? id : null),
        load: (id) => (id === virtual ? `export { ${names} } from "./dist/${entry}.js";` : null),
        transform: (code) => (part ? code.replace(part, "") : code),
      },
    ],
  });
  const { output } = await bundle.generate({ format: "es", paths: () => "tracklet" });
  const { code } = await minify(output[0].code, { module: true, ecma: 2020, compress: { passes: 3 } });
  return code!;
};

const MAIN = /dist\/index\.js$/;

/** What is measured after brotli 11, the quality that a CDN stores files with. */
const MEASURED: [what: string, code: string][] = [
  ["dist/tracklet.iife.js", readFileSync("dist/tracklet.iife.js", "utf8")],
  ["import { init, identify, track }", await imported("init, identify, track", "index")],
  // The verb alone: more than its own line would mean that a module does something as soon as it is loaded.
  ["import { track }", await imported("track", "index")],
  // As modules they use the verb of an app that imports `tracklet` anyway.
  ["dist/tracklet.clicks.iife.js", readFileSync("dist/tracklet.clicks.iife.js", "utf8")],
  ['import { trackClicks } from "tracklet/clicks"', await imported("trackClicks", "clicks", { modules: MAIN })],
  ["dist/tracklet.active.iife.js", readFileSync("dist/tracklet.active.iife.js", "utf8")],
  ['import { trackActive } from "tracklet/active"', await imported("trackActive", "active", { modules: MAIN })],
  // Who mends a page loads it, and no visitor.
  ["dist/tracklet.inspector.js", readFileSync("dist/tracklet.inspector.js", "utf8")],
  // The whole tracker once more, for who wants a second one.
  ['import { createTracker } from "tracklet/instance"', await imported("createTracker", "instance")],
  ['import { createReader } from "tracklet/read"', await imported("createReader", "read")],
  ['import { sendEvent } from "tracklet/send"', await imported("sendEvent", "send")],
  // Beside the whole tracker, which it loads anew for each test.
  [
    'import { recordEvents } from "tracklet/test", its own code',
    await imported("recordEvents", "test", { code: /^const loadTracker = .*^return exports;\n};$/ms }),
  ],
];

/** The budgets, in bytes, by what is measured. They only fall. */
const { budgets } = JSON.parse(readFileSync("package.json", "utf8")) as { budgets: Record<string, number> };

for (const [what, code] of MEASURED) {
  const budget = budgets[what]!;
  const brotli = brotliCompressSync(code).length;
  const gzip = gzipSync(code, { level: 9 }).length;
  console.log(`${what}: ${code.length} B raw, ${gzip} B gzip, ${brotli} B brotli (budget ${budget})`);
  if (brotli > budget) {
    console.error(`${what}: over its budget by ${brotli - budget} B`);
    process.exitCode = 1;
  }
}

const script = (brotliCompressSync(MEASURED[0]![1]).length / 1_000).toFixed(1);
for (const [page, figure] of [
  ["README.md", /is ([\d.]+) kB after brotli/],
  ["docs/compare.md", /^\| tracklet .*?, `tracklet\.iife\.js` +\| +([\d.]+) \|/m],
] as const) {
  const told = figure.exec(readFileSync(page, "utf8"))?.[1];
  if (told === script) continue;
  console.error(`${page} says ${told} kB, the script has ${script} kB`);
  process.exitCode = 1;
}
