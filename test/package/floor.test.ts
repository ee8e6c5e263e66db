import { readdirSync, readFileSync } from "node:fs";
import { parse } from "acorn";
import { expect, it } from "vitest";

/** The oldest language that a browser must know. What it may lack of the newer APIs: e2e/install/floor.spec.ts. */
const LANGUAGE = 2020;

it("every built file is of the language of 2020", () => {
  expect(() => parse("a ??= 1", { ecmaVersion: LANGUAGE }), "the proof: a newer one is refused").toThrow();
  const files = readdirSync("dist").filter((file) => file.endsWith(".js"));
  expect(files).toContain("tracklet.iife.js");
  const tooNew = files.flatMap((file) => {
    const sourceType = file.startsWith("tracklet.") ? "script" : "module";
    try {
      parse(readFileSync(`dist/${file}`, "utf8"), { ecmaVersion: LANGUAGE, sourceType });
      return [];
    } catch (error) {
      return [`${file}: ${error}`];
    }
  });
  expect(tooNew).toEqual([]);
});
