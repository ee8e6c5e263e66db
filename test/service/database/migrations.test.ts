import pg from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import { addressesOf } from "../../../src/service/config/database-url.js";
import { MIGRATIONS } from "../../../src/service/database/migrations.js";
import { openDatabase, openExisting } from "../../../src/service/database/open-database.js";
import { seed } from "../../../src/service/records/seed.js";
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
  const opening = openDatabase(place(), seed);
  const waits = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'";
  await until(async () => ((await look.query(waits)).rows.length > 0 ? true : undefined));
  const ended = new Promise((resolve) => dying.once("end", resolve));
  dying.on("error", () => {});
  (dying as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
  await ended;
  await (await opening).close();
  await look.end();
  const database = await openDatabase(place(), seed);
  expect(await database.query("SELECT count(*)::int AS users FROM users")).toEqual([{ users: 137 }]);
  await database.query("INSERT INTO schema_migrations VALUES ('9.9.9')");
  await database.close();
  const open = () => openDatabase(place(), seed);
  // As a build sees them that was made before the tables were changed.
  const words =
    /^the database has tables of the version 9\.9\.9, which this build does not know .+: start the build that/;
  await expect(open()).rejects.toThrow(words);
  await expect(openExisting(place())).rejects.toThrow(words);
});

it("refuses a database from before 0.1.0, and says how its data gets into this one", async () => {
  const words =
    /^the database was made before 0\.1\.0: export it with the version that made it, and import that into a new one/;
  const spoil = (...statements: string[]) => runAt(first(), ...statements);
  await spoil("UPDATE schema_migrations SET name = '001-tables' WHERE name = '9.9.9'");
  await expect(openDatabase(place(), seed)).rejects.toThrow(words);
  // The very first version did not count its migrations.
  await spoil("DROP TABLE schema_migrations");
  await expect(openDatabase(place(), seed)).rejects.toThrow(words);
  await spoil(
    "CREATE TABLE schema_migrations (name TEXT PRIMARY KEY)",
    `INSERT INTO schema_migrations VALUES ('${MIGRATIONS[0]!.name}')`,
  );
  await (await openDatabase(place(), seed)).close();
});
