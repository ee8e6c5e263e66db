import { createHash } from "node:crypto";
import { rmSync } from "node:fs";
import { brotliCompressSync, gzipSync } from "node:zlib";
import terser from "@rollup/plugin-terser";
import typescript from "@rollup/plugin-typescript";
import { minify } from "@swc/core";
import { rollup } from "rollup";

/** Prints what the `integrity` attribute of the script's tag must be (Subresource Integrity, W3C). */
const printIntegrity = {
  name: "integrity",
  writeBundle: (_, bundle) => {
    for (const { type, fileName, code } of Object.values(bundle))
      if (type === "chunk")
        console.log(`${fileName}: integrity="sha384-${createHash("sha384").update(code).digest("base64")}"`);
  },
};

/** The same file as `.br` and `.gz` beside it, as small as either can be: a web server hands them out as they are. */
const compressed = {
  name: "compressed",
  generateBundle(_, bundle) {
    for (const { type, fileName, code } of Object.values(bundle))
      if (type === "chunk")
        for (const [ending, source] of [
          ["br", brotliCompressSync(code)],
          ["gz", gzipSync(code, { level: 9 })],
        ])
          this.emitFile({ type: "asset", fileName: `${fileName}.${ending}`, source });
  },
};

/** A module that was renamed would leave its old file in the package. */
const emptied = { name: "emptied", renderStart: () => rmSync("dist", { recursive: true, force: true }) };

/** The compiler alone: `npm run check` checks the types, once for all that is built. */
const compile = (options = { declaration: false }) => typescript({ outDir: "dist", noCheck: true, ...options });

/**
 * A second minifier behind terser, which alone can shorten members: what it finds beside saves 3 in 100 bytes. Its names of
 * variables compress worse than terser's, which therefore gives them once more.
 */
const swc = {
  name: "swc",
  renderChunk: (code) =>
    minify(code, {
      ecma: 2020,
      compress: {
        ecma: 2020,
        // It would take the function away that keeps our names out of the page.
        toplevel: false,
        passes: 3,
        pristine_globals: false,
        unsafe_arrows: true,
        unsafe_methods: true,
      },
      mangle: { toplevel: true },
      module: false,
      sourceMap: true,
    }),
};

/** Members that the script shortens: of its own records, which are neither stored, nor sent, nor seen by a page. */
const SHORTENED = [
  "beganAt",
  "failures",
  "fullAt",
  "isAddressed",
  "isAgain",
  "isLost",
  "kept",
  "lease",
  "letters",
  "list",
  "most",
  "outcome",
  "over",
  "several",
  "time",
  "trackedAt",
];

/**
 * What the script tag loads: one minified file that puts one name into the page. Its map lies beside it, unnamed in the
 * code: the comment would cost every visitor 40 bytes, and a 404 where a site copies the script alone.
 *
 * @type {import("rollup").RollupOptions & { output: import("rollup").OutputOptions }}
 */
export const script = {
  input: "src/script-tag.ts",
  output: { file: "dist/tracklet.iife.js", format: "iife", strict: false, sourcemap: "hidden" },
  plugins: [
    compile(),
    terser({
      ecma: 2020,
      toplevel: true,
      compress: {
        passes: 2,
        unsafe: true,
        unsafe_arrows: true,
        unsafe_methods: true,
        keep_fargs: false,
        unsafe_math: true,
        side_effects: false,
        // The second minifier joins them better.
        join_vars: false,
      },
      // Without the second it would spare each word that is a member of something in browsers, too.
      mangle: { properties: { regex: RegExp(`^(${SHORTENED.join("|")})$`), builtins: true } },
    }),
    swc,
    // By the first line Chromium compiles all functions beside the main thread, while the script arrives (V8, explicit compile hints).
    terser({ ecma: 2020, toplevel: true, compress: false, format: { preamble: "//# allFunctionsCalledOnLoad" } }),
    compressed,
  ],
};

/** Members of the inspector's own that the build shortens: what it keeps for a reload has none of them, nor have the page's objects. */
const INSPECTED = [
  "accepted activity ageMs altered answerType became begins broken caller causes denial directive doubled errors",
  "eventCount exchanges failedAt failures formerContact hasGpc hasHandlers hasHash hasIdentity hasRequests headline",
  "identities inside isAstray isBarred isBlind isByItself isEarly isEmptied isHeard isJsonOdd isLoaded isOnline isOurs isOuter isPage",
  "isPending isProven isRecordFull isRecorded isRedirect isRunning isThere isUndecided isUnheard isUnstored leadsTo",
  "listener lists markup metaPolicies mutedUntil noteLook openMs ownFetch passedWorker pauseMs plain queued quietMs readyMs",
  "retryAfter shadows steps stood stored taken told twins unread verb violations visitUrl waitedMs wasAsked written",
];

/** The panel that says what a tracker does, loaded by hand into any page. */
const inspector = {
  input: "src/inspector/main.ts",
  output: { file: "dist/tracklet.inspector.js", format: "iife", strict: false, sourcemap: "hidden" },
  plugins: [
    compile(),
    terser({
      ecma: 2020,
      toplevel: true,
      compress: { passes: 3, unsafe_arrows: true },
      mangle: { properties: { regex: RegExp(`^(${INSPECTED.join(" ").replaceAll(" ", "|")})$`) } },
    }),
    printIntegrity,
  ],
};

/** An add-on for pages without a build, beside the main script. */
const addOn = (name) => ({
  input: `src/addons/${name}-script.ts`,
  output: { file: `dist/tracklet.${name}.iife.js`, format: "iife", strict: false, sourcemap: "hidden" },
  plugins: [
    compile(),
    terser({ ecma: 2020, toplevel: true, compress: { passes: 3, unsafe_arrows: true } }),
    printIntegrity,
  ],
});

/** Types are made of every source; those of the scripts, which are no modules, belong to nobody. */
const withoutScripts = {
  name: "without-scripts",
  generateBundle: (_, bundle) => {
    for (const file of Object.keys(bundle))
      if (/^(inspector\/|recorder\/|script-tag\.|addons\/(page|\w+-script)\.)/.test(file)) delete bundle[file];
  },
};

/** An app imports `tracklet/test`: a source of that name would look like a test. */
const typesOfRecorder = {
  name: "types-of-recorder",
  generateBundle(_, bundle) {
    const { source } = bundle["recorder.d.ts"];
    delete bundle["recorder.d.ts"];
    this.emitFile({ type: "asset", fileName: "test.d.ts", source });
  },
};

/** The same declarations for who calls `require`: TypeScript takes those of an ES module for none of theirs. */
const typesForRequire = {
  name: "types-for-require",
  generateBundle(_, bundle) {
    for (const [file, { source }] of Object.entries(bundle))
      if (/^(?!browser\/|window\.).*\.d\.ts$/.test(file))
        this.emitFile({
          type: "asset",
          fileName: file.replace(/ts$/, "cts"),
          source: `${source}`.replace(/(from "\.{1,2}\/[\w/-]+)\.js"/g, '$1.cjs"'),
        });
  },
};

/** What an app imports: readable modules with their types, minified by the app's own build. */
const modules = {
  input: [
    "src/index.ts",
    "src/read.ts",
    "src/send.ts",
    "src/clicks.ts",
    "src/active.ts",
    "src/window.ts",
    "src/browser/shared-visitor.ts",
  ],
  output: { dir: "dist", format: "es", preserveModules: true, sourcemap: true },
  plugins: [compile({ declaration: true }), withoutScripts, typesOfRecorder, typesForRequire],
};

/** The same for `require`: Jest loads nothing else, unless it is told to. */
const forRequire = {
  input: ["src/index.ts", "src/read.ts", "src/send.ts", "src/clicks.ts", "src/active.ts"],
  output: {
    dir: "dist",
    format: "cjs",
    sourcemap: true,
    entryFileNames: "[name].cjs",
    chunkFileNames: "chunks/[name].cjs",
  },
  plugins: [compile()],
};

/**
 * The whole tracker, as a function that makes another one at each call, since its modules keep their state in variables. What it
 * would find in the browser under these names is given to it. It is made of the modules that are built before.
 */
const freshTracker = (module, ...given) => ({
  name: "fresh-tracker",
  resolveId: (id) => (id === "./fresh-tracker.js" ? id : null),
  load: async (id) => {
    if (id !== "./fresh-tracker.js") return null;
    const bundle = await rollup({ input: `dist/browser/${module}.js` });
    const { output } = await bundle.generate({ format: "cjs", strict: false, esModule: false });
    const surroundings = given.length > 0 ? `{ ${given.join(", ")} }` : "";
    return `export const loadTracker = (${surroundings}) => {\nconst exports = {};\n${output[0].code}return exports;\n};`;
  },
});

/** What an app's own tests load: one file for `import`, one for `require`, beside the types that are made with the modules. */
const recorder = {
  input: "src/recorder.ts",
  output: [
    { file: "dist/test.js", format: "es", sourcemap: true },
    { file: "dist/test.cjs", format: "cjs", sourcemap: true },
  ],
  plugins: [
    freshTracker(
      "hub",
      "localStorage",
      "fetch",
      "Request",
      "AbortSignal",
      "TextEncoder",
      "setTimeout",
      "clearTimeout",
      "requestAnimationFrame",
      "history",
      "EventTarget",
    ),
    compile(),
  ],
};

/** A tracker of an app's own: one file, too. */
const instance = {
  input: "src/instance.ts",
  output: [
    { file: "dist/instance.js", format: "es", sourcemap: true },
    { file: "dist/instance.cjs", format: "cjs", sourcemap: true },
  ],
  plugins: [freshTracker("shared-visitor"), compile()],
};

/** `npx tracklet conform`, for who has a service of one's own: one file for Node. */
const conform = {
  input: "src/conform/main.ts",
  output: { file: "dist/conform.js", format: "es", banner: "#!/usr/bin/env node", sourcemap: true },
  external: ["node:util"],
  plugins: [compile({ declaration: false, tsconfig: "src/conform/tsconfig.json" })],
};

export default [
  { ...script, plugins: [emptied, ...script.plugins, printIntegrity] },
  inspector,
  addOn("clicks"),
  addOn("active"),
  modules,
  forRequire,
  recorder,
  instance,
  conform,
];
