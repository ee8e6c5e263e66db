import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ROOT } from "../../support/launch.js";
import { MATRIX, PROMISES } from "./matrix.js";

const CELLS = Object.entries(MATRIX).flatMap(([fault, cells]) =>
  PROMISES.map((promise, at) => ({ what: `${promise}, under: ${fault}`, cell: cells[at] ?? "" })),
);

it("has a test for each promise under each fault, or a reason why the pair makes no sense", () => {
  const readme = readFileSync(join(ROOT, "test/README.md"), "utf8");
  for (const promise of PROMISES) expect(readme, "test/README.md").toContain(`| ${promise}`);
  for (const { what, cell } of CELLS) expect(cell.replace(/^- */, "").length, what).toBeGreaterThan(5);
});

it("names tests that are there", () => {
  for (const cell of new Set(CELLS.map(({ cell }) => cell).filter((one) => !one.startsWith("-")))) {
    const [, file, name] = /^(\S+): "(.+)"$/.exec(cell) ?? [];
    const path = [`test/service/${file}.ts`, `${file}.ts`].map((one) => join(ROOT, one)).find(existsSync);
    expect(path, cell).toBeDefined();
    expect(readFileSync(path!, "utf8"), cell).toContain(name!);
  }
});
