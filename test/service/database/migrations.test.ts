import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { MIGRATIONS, runsOn } from "../../../src/service/database/migrations.js";
import { openDatabase } from "../../../src/service/database/open-database.js";
import { ROOT } from "../../support/launch.js";
import { runAt } from "../support/database.js";
import { useServer } from "../support/fixtures.js";

const place = useServer();

it("leaves the tables of other versions alone, and says so", async () => {
  const change = (name: string) =>
    runAt(place.databaseUrl, `UPDATE schema_migrations SET name = '${name}' WHERE id = 1`);
  await (await openDatabase(place)).close();
  const words = /^this data is of another build: use that one, or load a backup of this one into .+ restore FILE\)$/;
  for (const name of ["9999-x-12345678", "0001-tables-12345678"]) {
    await change(name);
    for (const needs of ["service", "tables"] as const) await expect(openDatabase(place, needs)).rejects.toThrow(words);
  }
  await change(MIGRATIONS[0]!.name);
  await (await openDatabase(place)).close();
});

it.each([
  ["0002-from-0001-x-12345678", true],
  ["0003-from-0001-x-12345678", true],
  ["0003-from-0002-x-12345678", false],
  ["9999-x-12345678", false],
  ["0001-tables-12345678", false],
  ["0.1.0-12345678", false],
])("runs, where it knows the first version alone, on tables of %s: %s", (name, expected) => {
  expect(runsOn(name, MIGRATIONS.slice(0, 1))).toBe(expected);
});

/** Files of a release that do not lead back to the last one of the release before. */
const astray = (files: readonly string[], released: readonly string[]): string[] => {
  const last = released.toSorted().at(-1)?.slice(0, 4);
  return files.filter((file) => !released.includes(file) && last !== undefined && !file.startsWith(`from-${last}`, 5));
};

it("lead back to the release before, each of them", async () => {
  const filesIn = (folder: string) => readdir(join(ROOT, folder));
  const released = Object.keys(JSON.parse(await readFile(join(ROOT, "test/upgrade/released.json"), "utf8")));
  expect(astray(await filesIn("src/service/database/migrations"), released)).toEqual([]);
  expect(astray(await filesIn("test/upgrade/next"), ["0003-late.sql"])).toEqual([]);
  const sister = "0003-from-0002-b.sql";
  expect(astray(["0001-tables.sql", "0002-from-0001-a.sql", sister], ["0001-tables.sql"])).toEqual([sister]);
});
