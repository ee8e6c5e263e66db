import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import { addressesOf } from "../../../src/service/config/options.js";
import { MIGRATIONS, runsOn } from "../../../src/service/database/migrations.js";
import { openDatabase } from "../../../src/service/database/open-database.js";
import { ROOT } from "../../support/launch.js";
import { runAt } from "../support/cluster.js";
import { openServer } from "../support/places.js";
import { until } from "../support/running-service.js";

let server: Awaited<ReturnType<typeof openServer>>;
beforeAll(async () => {
  server = await openServer();
});
afterAll(() => server.leave());
const first = () => addressesOf(server.url)[0]!;
const place = () => ({ databaseUrl: server.url, dataFolder: "" });

it("makes the tables though a process that was at it has died, and leaves those of other versions alone", async () => {
  // A process that dies within a migration: what it has begun is taken back while the next one waits for it.
  const [dying, look] = [new pg.Client(first()), new pg.Client(first())];
  await Promise.all([dying.connect(), look.connect()]);
  await dying.query("BEGIN; CREATE TABLE schema_migrations (name TEXT PRIMARY KEY); CREATE TABLE events (id UUID)");
  const opening = openDatabase(place());
  const waits = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'";
  await until(async () => ((await look.query(waits)).rows.length > 0 ? true : undefined));
  const ended = new Promise((resolve) => dying.once("end", resolve));
  dying.on("error", () => {});
  (dying as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
  await ended;
  await (await opening).close();
  await look.end();
  const change = (name: string) => runAt(first(), `UPDATE schema_migrations SET name = '${name}' WHERE id = 1`);
  for (const [name, words] of [
    [
      "9999-x-12345678",
      /^this data is of a newer build: start that one, or load a backup of this one into .+ restore FILE\)$/,
    ],
    [
      "0001-tables-12345678",
      /^this data is of an older build, from before 0\.1\.0: write it to files with that one .+ export\)/,
    ],
  ] as const) {
    await change(name);
    for (const needs of ["service", "tables"] as const)
      await expect(openDatabase(place(), needs)).rejects.toThrow(words);
  }
  await change(MIGRATIONS[0]!.name);
  await (await openDatabase(place())).close();
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
  expect(astray(await filesIn("test/upgrade/next"), ["0001-tables.sql"])).toEqual([]);
  const sister = "0003-from-0002-b.sql";
  expect(astray(["0001-tables.sql", "0002-from-0001-a.sql", sister], ["0001-tables.sql"])).toEqual([sister]);
});
