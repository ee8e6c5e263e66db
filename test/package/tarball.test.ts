import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { promisify } from "node:util";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Packed, pack } from "../support/packed.js";

/** Scripts of one file each, made of many sources. */
const SCRIPTS = ["tracklet.iife.js", "tracklet.inspector.js", "tracklet.clicks.iife.js", "tracklet.active.iife.js"];

let packed: Packed;
beforeAll(async () => {
  packed = await pack();
});
afterAll(() => packed.dispose());

describe("the packed tarball", () => {
  it("has nothing that publint objects to, suggestions included", async () => {
    const { messages, pkg } = await publint({ pack: { tarball: packed.tarball.slice().buffer }, strict: true });
    expect(messages.map((message) => formatMessage(message, pkg, { color: false }))).toEqual([]);
  });

  it("has types that resolve to what runs, in every ES module resolution", async () => {
    const entries = [".", "./read", "./send", "./clicks", "./active", "./test"];
    const result = await checkPackage(createPackageFromTarballData(packed.tarball), { entrypoints: entries });
    if (!result.types) expect.fail("the tarball has no types");
    expect(Object.keys(result.entrypoints)).toEqual(entries);
    // There is no CommonJS in the package. `exports` is unknown to the resolution of Node 10, which finds `main` and `types`;
    // what is for servers alone has its types there, and no second file that runs.
    const problems = result.problems.filter(
      (problem) =>
        !("resolutionKind" in problem) ||
        !(
          problem.resolutionKind === "node16-cjs" ||
          (problem.resolutionKind === "node10" && problem.entrypoint !== ".")
        ),
    );
    expect(problems).toEqual([]);
    for (const entry of entries)
      expect(result.entrypoints[entry]!.resolutions.node10.resolution?.fileName, entry).toMatch(/\.d\.ts$/);
  });

  it("holds what is built from the sources of today, with them and the maps that lead there", () => {
    const files = createPackageFromTarballData(packed.tarball)
      .listFiles()
      .map((file) => file.replace("/node_modules/tracklet/", ""));
    const built = files.filter((file) => file.startsWith("dist/")).map((file) => file.slice("dist/".length));
    const modules = built.filter((file) => !SCRIPTS.includes(file.replace(/\.map$/, "")));
    expect(built).toEqual(expect.arrayContaining(SCRIPTS));
    expect(modules.length).toBeGreaterThan(50);
    for (const file of modules) {
      const source = file.replace(/(\.js|\.d\.ts)(\.map)?$/, ".ts");
      expect(existsSync(new URL(`../../src/${source}`, import.meta.url)), `${file} has no source: build again`).toBe(
        true,
      );
      expect(files).toContain(`src/${source}`);
    }
    const others = files.filter((file) => !/^(dist|src|docs|demo\/(recipes|tag-manager))\//.test(file));
    expect(others.sort()).toEqual(["CHANGELOG.md", "LICENSE", "README.md", "package.json"]);
    // What the README tells to import or copy.
    expect(files).toEqual(expect.arrayContaining(["demo/tag-manager/tracklet.tpl", "demo/recipes/nginx.conf"]));
  });
});

describe("the installed package, in Node without a window", () => {
  beforeAll(() => packed.install());

  it.each(["", "/read", "/send", "/clicks", "/active", "/test"].map((entry) => `tracklet${entry}`))(
    "does nothing when %s is imported",
    async (entry) => {
      const code = `
      const touched = [];
      for (const name of ["fetch", "crypto", "setTimeout", "setInterval", "queueMicrotask"]) {
        const { value = globalThis[name] } = Object.getOwnPropertyDescriptor(globalThis, name);
        Object.defineProperty(globalThis, name, { configurable: true, get: () => (touched.push(name), value) });
      }
      const before = Reflect.ownKeys(globalThis);
      const names = Object.keys(await import(${JSON.stringify(entry)}));
      const added = Reflect.ownKeys(globalThis).filter((key) => !before.includes(key));
      console.log(JSON.stringify({ touched, added, some: names.length > 0 }));
      `;
      const { stdout, stderr } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", code], {
        cwd: packed.app,
        env: { ...process.env, NODE_OPTIONS: "" },
        // Only ends what would hang for ever; a timer or socket left behind keeps Node running.
        timeout: 30_000,
      });
      expect(stderr).toBe("");
      expect(JSON.parse(stdout)).toEqual({ touched: [], added: [], some: true });
    },
  );
});
