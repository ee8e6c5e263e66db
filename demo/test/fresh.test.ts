/** What `npm start` takes for installed and built; tried on a project of its own. */
import { cp, mkdir, mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

const FRESH = fileURLToPath(new URL("../start/fresh.mjs", import.meta.url));

interface Fresh {
  readInstalled(): { isFresh: boolean; hasTests: boolean };
  isSnippetBuilt(): boolean;
  isServiceBuilt(): boolean;
}

let root: string;
let fresh: Fresh;

/** Seconds since 1970: each file that is written is a second younger than the one before. */
let now = 1_000_000;
const write = async (path: string, content: unknown = ""): Promise<void> => {
  const file = join(root, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, typeof content === "string" ? content : JSON.stringify(content));
  now++;
  // A folder is as young as the last file that came or went.
  await utimes(dirname(file), now, now);
  await utimes(file, now, now);
};

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "tracklet-fresh-"));
  await mkdir(join(root, "demo/start"), { recursive: true });
  await cp(FRESH, join(root, "demo/start/fresh.mjs"));
  fresh = await import(pathToFileURL(join(root, "demo/start/fresh.mjs")).href);
});
afterEach(() => rm(root, { recursive: true }));

describe("what is installed", () => {
  const MANIFEST = { devDependencies: { vitest: "^4.0.0" } };
  const DEMO = { dependencies: { fastify: "^5.0.0" } };
  const FASTIFY = { "node_modules/fastify": { version: "5.1.0" } };
  const VITEST = { "node_modules/vitest": { version: "4.1.0", dev: true } };
  const LOCKED = {
    "": MANIFEST,
    demo: DEMO,
    "node_modules/tracklet-demo": { resolved: "demo", link: true },
    "node_modules/esbuild-for-another-system": { version: "1.0.0", optional: true },
    ...FASTIFY,
    ...VITEST,
  };
  const LINK = { "node_modules/tracklet-demo": { resolved: "demo", link: true } };
  const install = (packages: object) => write("node_modules/.package-lock.json", { packages });

  beforeEach(async () => {
    await write("package.json", MANIFEST);
    await write("demo/package.json", DEMO);
    await write("package-lock.json", { packages: LOCKED });
  });

  it("is what the demo needs, or all", async () => {
    await install({ ...LINK, ...FASTIFY });
    expect(fresh.readInstalled()).toEqual({ isFresh: true, hasTests: false });
    await install({ ...LINK, ...FASTIFY, ...VITEST });
    expect(fresh.readInstalled()).toEqual({ isFresh: true, hasTests: true });
  });

  it.each([
    ["nothing", undefined],
    ["not everything", LINK],
    ["another version", { ...LINK, "node_modules/fastify": { version: "5.0.9" } }],
    [
      "an old version of what the tests need",
      { ...LINK, ...FASTIFY, "node_modules/vitest": { version: "4.0.0", dev: true } },
    ],
  ])("is not enough: %s", async (_, packages) => {
    if (packages) await install(packages);
    expect(fresh.readInstalled().isFresh).toBe(false);
  });

  it("is not enough where a manifest asks for more than the lock file has", async () => {
    await install({ ...LINK, ...FASTIFY });
    await write("demo/package.json", { dependencies: { ...DEMO.dependencies, "chart.js": "^4.0.0" } });
    expect(fresh.readInstalled().isFresh).toBe(false);
  });
});

describe("what is built", () => {
  const OUTPUTS = ["dist/tracklet.iife.js", "dist/tracklet.inspector.js", "dist/index.js"];
  beforeEach(async () => {
    for (const file of [
      "package.json",
      "package-lock.json",
      "tsconfig.json",
      "rollup.config.mjs",
      "src/a/b.ts",
      "src/c.ts",
    ])
      await write(file);
    await utimes(join(root, "src"), now, now);
    await write("demo/service/main.ts");
    for (const file of OUTPUTS) await write(file);
    await write("demo/.service/main.js");
  });

  it("is younger than all sources", () => {
    expect(fresh.isSnippetBuilt()).toBe(true);
    expect(fresh.isServiceBuilt()).toBe(true);
  });

  it.each(["src/a/b.ts", "rollup.config.mjs", "package-lock.json"])("is not, where %s was changed", async (file) => {
    await write(file);
    expect(fresh.isSnippetBuilt()).toBe(false);
  });

  it("is not, where a source has gone, or an output", async () => {
    await rm(join(root, "src/a/b.ts"));
    expect(fresh.isSnippetBuilt()).toBe(false);
    for (const file of OUTPUTS) await write(file);
    await utimes(join(root, "src/a"), 0, 0);
    expect(fresh.isSnippetBuilt()).toBe(true);
    await rm(join(root, OUTPUTS[1]!));
    expect(fresh.isSnippetBuilt()).toBe(false);
  });

  it("is, as the service, apart from the snippet", async () => {
    await write("demo/service/main.ts");
    expect([fresh.isSnippetBuilt(), fresh.isServiceBuilt()]).toEqual([true, false]);
  });
});
