/** The scripts as they are built. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "acorn";
import { expect, it } from "vitest";
import { ROOT } from "../support/launch.js";

const read = (path: string): Promise<string> => readFile(join(ROOT, path), "utf8");
const words = (text: string): Set<string> => new Set(text.match(/\w+/g));

// What a browser may lack of the newer APIs: e2e/install/floor.spec.ts.
it("every built file for a browser is of the language of 2020, the oldest that it must know", async () => {
  const files = (await readdir(join(ROOT, "dist"))).filter((file) => file.endsWith(".js") && file !== "conform.js");
  expect(files).toContain("tracklet.iife.js");
  const texts = await Promise.all(files.map(async (file) => [file, await read(`dist/${file}`)] as const));
  const tooNew = [...texts, ["the proof: a newer one is refused", "a ??= 1"] as const].flatMap(([file, text]) => {
    try {
      parse(text, { ecmaVersion: 2020, sourceType: file.startsWith("tracklet.") ? "script" : "module" });
      return [];
    } catch {
      return [file];
    }
  });
  expect(tooNew).toEqual(["the proof: a newer one is refused"]);
});

// The members that the script shortens stand in a list of their own, whatever words the public types have.
it("the script shortens what is listed, which its source has and no public type has", async () => {
  const [, list] = /SHORTENED = (\[[^\]]*\])/.exec(await read("rollup.config.mjs"))!;
  const listed = [...words(list!)];
  const files = (await readdir(join(ROOT, "src/browser"), { recursive: true })).filter((file) => file.endsWith(".ts"));
  const source = words((await Promise.all(files.map((file) => read(`src/browser/${file}`)))).join("\n"));
  const types = words(await read("test/package/api/index.d.ts"));
  const script = await read("dist/tracklet.iife.js");
  const isLong = (name: string): boolean => new RegExp(`[.{,]${name}\\b`).test(script);
  expect(listed.filter((name) => !source.has(name) || types.has(name) || isLong(name))).toEqual([]);
});

it("the script tells Chromium by its first line to compile all of it while it arrives; what an app bundles does not", async () => {
  const hint = "//# allFunctionsCalledOnLoad";
  expect((await read("dist/tracklet.iife.js")).split("\n")[0]).toBe(hint);
  expect(await read("dist/browser/hub.js")).not.toContain(hint);
});
