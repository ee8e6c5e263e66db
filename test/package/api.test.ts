import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { ENTRIES, report, reportFile } from "./api.js";

it.each(ENTRIES)("the public types of %s are those that are written down", async (entry) => {
  const written = await readFile(reportFile(entry), "utf8");
  expect(
    await report(entry),
    `The public types of "${entry}" have changed. If that is meant, run "npm run api", look at the difference, and commit it with an entry in CHANGELOG.md.`,
  ).toBe(written);
});
