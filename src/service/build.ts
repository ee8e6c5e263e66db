import { cp, mkdir, readdir, rm, stat, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const SOURCE = fileURLToPath(new URL(".", import.meta.url));
const OUT = fileURLToPath(new URL("../../build/service", import.meta.url));

/** The pages, whose chart library goes into their script; and the live page with its styles, which the demo has on its own. */
const buildPage = async (): Promise<void> => {
  const page = join(SOURCE, "../pages");
  await build({
    entryPoints: ["main.ts", "main.css", "live.ts", "live.css", "site.css"].map((file) => join(page, file)),
    outdir: join(OUT, "page"),
    bundle: true,
    minify: true,
    format: "esm",
    target: ["es2022"],
    legalComments: "inline",
    logLevel: "warning",
  });
  // The panel that any page may load from here; nothing of it is the service's.
  await build({
    entryPoints: [{ in: join(SOURCE, "../inspector/main.ts"), out: "inspector" }],
    outdir: join(OUT, "page"),
    bundle: true,
    minify: true,
    format: "iife",
    target: ["es2020"],
    logLevel: "warning",
  });
  for (const file of ["index.html", "icon.svg", "bookmark.svg"]) await cp(join(page, file), join(OUT, "page", file));
};

/** When a file was changed last, in epoch milliseconds; 0 where there is none. */
const changedAt = async (file: string): Promise<number> => (await stat(file).catch(() => undefined))?.mtimeMs ?? 0;

/** The script that pages load from here: the very file of the package, with `.br` and `.gz`. Made anew where its sources have changed. */
const buildScript = async (): Promise<void> => {
  const sources = await readdir(join(SOURCE, ".."), { recursive: true, encoding: "utf8" });
  const changes = sources
    .filter((file) => !/^(service|pages)\b/.test(file))
    .map((file) => changedAt(join(SOURCE, "..", file)));
  const made = await changedAt(join(OUT, "page/lib.js.gz"));
  if (made > Math.max(...(await Promise.all([...changes, changedAt(join(SOURCE, "../../rollup.config.mjs"))])))) return;
  // Not loaded where it is not needed: the compiler takes a while.
  const { rollup } = await import("rollup");
  const { script } = await import("../../rollup.config.mjs");
  const bundle = await rollup({ ...script, input: join(SOURCE, "../script-tag.ts") });
  const { output } = await bundle.generate({ ...script.output, sourcemap: false });
  for (const one of output)
    await writeFile(
      join(OUT, "page", one.fileName.replace("tracklet.iife.js", "lib.js")),
      one.type === "chunk" ? one.code : one.source,
    );
  await bundle.close();
};

/** Builds the service to JavaScript that Node runs as it is; the libraries stay where they are installed. */
export const buildService = async (): Promise<void> => {
  const { metafile } = await build({
    entryPoints: [join(SOURCE, "main.ts")],
    outdir: OUT,
    entryNames: "[name]",
    bundle: true,
    // The cheap checks of a start run before the libraries are loaded.
    splitting: true,
    packages: "external",
    platform: "node",
    target: "node20",
    format: "esm",
    logLevel: "warning",
    metafile: true,
  });
  // Chunks of earlier builds, removed afterwards: a service may be starting.
  const built = new Set(Object.keys(metafile.outputs).map((file) => basename(file)));
  await mkdir(join(OUT, "page"), { recursive: true });
  await Promise.all([buildPage(), buildScript()]);
  built.add("page");
  for (const folder of ["database/migrations", "numbers/questions"].map((path) => join(SOURCE, path))) {
    await cp(folder, join(OUT, basename(folder)), { recursive: true });
    for (const file of [basename(folder), ...(await readdir(folder))]) built.add(file);
  }
  for (const folder of ["", "migrations", "questions"].map((name) => join(OUT, name)))
    for (const file of await readdir(folder)) if (!built.has(file)) await rm(join(folder, file));
};

/** Vitest calls this before its tests. */
export const setup = buildService;

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildService();
