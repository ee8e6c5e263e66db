/** A strict app compiles against the package by the lowest TypeScript that docs/install.md names, and by the newest. */
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { ROOT } from "../support/launch.js";
import { readPage } from "../support/readme.js";

const OPTIONS = {
  target: "es2020",
  module: "esnext",
  moduleResolution: "bundler",
  lib: ["es2020", "dom", "dom.iterable"],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noEmit: true,
  types: [],
};

it.each(
  ["typescript-lowest/lib/tsc.js", "@typescript/native/bin/tsc"].flatMap((compiler) => [
    { compiler, what: "with declared events", file: "app.ts" },
    { compiler, what: "with any params that JSON can hold", file: "params.test-d.ts" },
  ]),
)("compiles $what by $compiler", async ({ compiler, file }) => {
  const app = (await readPage(`test/types/${file}`)).replace("../../src/index.js", "tracklet");
  // Within the package: there its own name is that of its entries.
  const folder = await mkdtemp(join(ROOT, "test/package/.app-"));
  try {
    await writeFile(join(folder, "app.ts"), app);
    await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: OPTIONS, files: ["app.ts"] }));
    const tsc = join(ROOT, "node_modules", compiler);
    const run = promisify(execFile)(process.execPath, [tsc, "-p", folder]);
    expect(
      await run.then(
        () => "",
        ({ stdout }) => stdout,
      ),
    ).toBe("");
  } finally {
    await rm(folder, { recursive: true });
  }
});

it("the lowest TypeScript is the one that is named", async () => {
  const { version } = JSON.parse(await readPage("node_modules/typescript-lowest/package.json")) as { version: string };
  expect(await readPage("docs/install.md")).toContain(
    `TypeScript ${version.split(".").slice(0, 2).join(".")} or newer`,
  );
});
