import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ROOT } from "../../support/launch.js";
import { MATRIX, PROMISES, REASONS, TESTS } from "./matrix.js";

it("has a test for each promise under each fault, or a reason why the pair makes no sense", () => {
  const readme = readFileSync(join(ROOT, "test/README.md"), "utf8");
  for (const promise of PROMISES) expect(readme).toContain(`| ${promise} `);
  for (const [fault, cells] of Object.entries(MATRIX))
    for (const [at, promise] of PROMISES.entries())
      expect({ ...TESTS, ...REASONS }, `${promise}, under: ${fault}`).toHaveProperty(cells.split(" ")[at] ?? "");
});

it.each(Object.values(TESTS))("names a test that is there: %s", (cell) => {
  const [, file, name] = /^(\S+): "(.+)"$/.exec(cell)!;
  const path = [`test/service/${file}.ts`, `${file}.ts`].map((one) => join(ROOT, one)).find(existsSync);
  expect(readFileSync(path!, "utf8")).toContain(name!);
});
