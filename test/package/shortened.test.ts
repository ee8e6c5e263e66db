/** The members that the script shortens stand in a list of their own, whatever words the public types have. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ROOT } from "../support/launch.js";

const read = (path: string): Promise<string> => readFile(join(ROOT, path), "utf8");
const words = (text: string): Set<string> => new Set(text.match(/\w+/g));

it("the script shortens what is listed, which its source has and no public type has", async () => {
  const [, list] = /SHORTENED = (\[[^\]]*\])/.exec(await read("rollup.config.mjs"))!;
  const listed = [...words(list!)];
  const files = (await readdir(join(ROOT, "src/browser"), { recursive: true })).filter((file) => file.endsWith(".ts"));
  const source = words((await Promise.all(files.map((file) => read(`src/browser/${file}`)))).join("\n"));
  const types = words(await read("test/package/api/index.api.md"));
  const script = await read("dist/tracklet.iife.js");
  const isLong = (name: string): boolean => new RegExp(`[.{,]${name}\\b`).test(script);
  expect(listed.filter((name) => !source.has(name) || types.has(name) || isLong(name))).toEqual([]);
});
