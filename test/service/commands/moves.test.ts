import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough, Writable } from "node:stream";
import { gunzipSync, gzipSync } from "node:zlib";
import pg from "pg";
import { beforeAll, expect, it } from "vitest";
import { runCommand } from "../../../src/service/commands/cli.js";
import { readConfig } from "../../../src/service/config/options.js";
import { filesOf } from "../../../src/service/database/embedded/data-folder.js";
import { newIds } from "../../../src/service/database/event-id.js";
import { MIGRATIONS } from "../../../src/service/database/migrations.js";
import { openDatabase } from "../../../src/service/database/open-database.js";
import { markRestored } from "../../../src/service/records/lost-places.js";
import { AT_ONCE } from "../support/bounds.js";
import { runAt as ask, everyRow, neverAnalyzed, openPlace } from "../support/database.js";
import { DAY, SHOP, TODAY, useCommands, useFolder, usePlace, useServer } from "../support/fixtures.js";
import { startService, until } from "../support/service.js";

/* All data of a database: dumped, restored, moved. */

const server = useServer();
const { place: source, run, runAt, withService } = useCommands(usePlace());
const folder = useFolder();
const file = () => join(folder, "dump");
/** Waits until the events of today are counted, as many as these, and one of 29 days ago where there is one. */
const counted = (events: number, at = source, past = "") =>
  withService(
    async ({ json }) => {
      for (const [query, total] of [["", events] as const, ...(past ? [[`?from=${past}&to=${past}`, 1] as const] : [])])
        await until(async () => (await json(`/v2/numbers${query}`)).events.total === total);
    },
    { ...at, bounds: AT_ONCE },
  );
beforeAll(async () => {
  await run("token", "create", "site", "--kind", "api");
  await run("erase", "contact-001");
  await run("left-out", "add", "contact", "ben", "--workspace", SHOP.name);
  await counted(1, source, new Date(TODAY - 29 * DAY).toISOString().slice(0, 10));
});

/** Makes an empty database. */
const empty = async () => {
  const name = `target_${randomUUID().slice(0, 8)}`;
  await ask(server.databaseUrl, `CREATE DATABASE ${name}`);
  return { dataFolder: "", databaseUrl: Object.assign(new URL(server.databaseUrl), { pathname: name }).href };
};

it("is dumped to a file for its owner alone, and restored into an empty database", async () => {
  const { err: said } = await run("dump", file());
  const before = await everyRow(source);
  // By it an archive knows the database, also where that is restored or moved.
  expect(before.service_keys).toEqual(expect.arrayContaining([expect.stringMatching(/^\(database,/)]));
  const bare = Object.keys(before).filter((name) => before[name]!.length === 0);
  // These are empty as soon as all is counted, and nothing is past by retention.
  expect(bare.filter((name) => !/^(.*_anew|days_stale|totals)$/.test(name))).toEqual([]);
  expect(said).toMatch(/^(the newest event will be .*\n)?wrote \d+ rows of \d+ tables, 3 of them events\n$/);
  expect((await stat(file())).mode & 0o777).toBe(0o600);
  const target = await openPlace();
  await rm(filesOf(target.dataFolder).cluster, { recursive: true });
  expect((await runAt(target, "restore", file())).err).toMatch(
    /, as they were at (\S+)\nwhoever was erased after \1 is in it again: --erasures leaves them out\n/,
  );
  expect(await neverAnalyzed(target)).toEqual([]);
  const { service_state, ...after } = await everyRow(target);
  expect(after).toEqual({ ...before, service_state: undefined });
  expect(service_state).toEqual(expect.arrayContaining(before.service_state!));
  await expect(runAt(target, "restore", file())).rejects.toThrow(/the database must be empty, and there are rows in/);
  await target.leave();
});

it("has the tables that a newer build has made, whose dump is left to that build, and none of others", async () => {
  const at = await empty();
  await withService(async () => {}, at);
  await ask(
    at.databaseUrl,
    `CREATE TABLE newer_days (day DATE, "order" TEXT); INSERT INTO newer_days VALUES ('2026-01-31', E'a\\tb')`,
    'CREATE TABLE "Odd name" (id INT)',
  );
  await runAt(at, "dump", file());
  expect((await runAt(await empty(), "restore", file())).err).toMatch(
    /^left out the table newer_days: it is none of the service\nrestored \d+ rows of \d+ tables/,
  );
  await ask(
    at.databaseUrl,
    `INSERT INTO schema_migrations (name, run_on) VALUES ('0999-from-${MIGRATIONS.at(-1)!.name.slice(0, 4)}-days-12345678', now())`,
  );
  await runAt(at, "dump", file());
  expect(gunzipSync(await readFile(file())).toString()).toContain(
    '\nCOPY newer_days (day, "order") FROM stdin;\n2026-01-31\ta\\tb\n',
  );
  await expect(runAt(await empty(), "restore", file())).rejects.toThrow(
    /^this data is of another build: use that one, /,
  );
});

it("is dumped to stdout, and never into the place of what is no plain file", async () => {
  const dump = (stdout: Writable) =>
    runCommand(["dump", "-"], { ...readConfig({}), ...source }, { stdout, stderr: new PassThrough(), bounds: AT_ONCE });
  await dump(createWriteStream(file()));
  const target = await empty();
  await runAt(target, "restore", file());
  expect((await everyRow(target)).events).toEqual((await everyRow(source)).events);
  const gone = Object.assign(new Error("write EPIPE"), { code: "EPIPE" });
  const closed = new Writable({ write: (_chunk, _encoding, done) => done(gone) });
  await expect(dump(closed)).rejects.toThrow("stdout was closed before all was written");
  const pipe = join(folder, "pipe");
  spawnSync("mkfifo", [pipe]);
  for (const path of [pipe, folder, "/dev/null"]) await expect(run("dump", path)).rejects.toThrow(/is no plain file/);
});

it("is loaded whole or not at all", async () => {
  await run("dump", file());
  const target = await empty();
  const whole = await readFile(file());
  const script = gunzipSync(whole).toString();
  const flipped = (at: number) => {
    const bytes = Buffer.from(whole);
    bytes[Math.floor(at * bytes.length)]! ^= 1;
    return bytes;
  };
  for (const [bytes, words] of [
    [Buffer.from(script.split("\n", 1)[0]!), /is no dump of the service/],
    [gzipSync("SELECT 1"), /is no dump of the service/],
    [whole.subarray(0, whole.length / 2), /is damaged/],
    // The database may complain of it before the checksum is known.
    ...[0.4, 0.8, 0.99].map((at) => [flipped(at), /is damaged/] as const),
    [whole.subarray(0, whole.length - 1), /is damaged/],
    [gzipSync(script.replace('"users":137', '"users":136')), "the table users has 137 rows in place of 136"],
  ] as const) {
    await writeFile(file(), bytes);
    await expect(runAt(target, "restore", file())).rejects.toThrow(words);
  }
  const nowhere = join(folder, "none");
  await expect(runAt(target, "restore", nowhere)).rejects.toThrow("cannot be read: there is no such file");
  const { schema_migrations, ...tables } = await everyRow(target);
  expect([schema_migrations!.length, Object.values(tables).flat()]).toEqual([MIGRATIONS.length, []]);
  const list = join(folder, "erasures");
  const { out } = await run("audit", "--erasures");
  await Promise.all([writeFile(file(), whole), writeFile(list, out)]);
  const end = new Date(JSON.parse(out).erased_at).toISOString();
  expect((await runAt(target, "restore", file(), "--erasures", list)).err).toContain(
    `erased 0 contacts again\nthe list ends at ${end}: whoever was erased later is in it again\n`,
  );
});

it("has new ids for what was not settled when it was dumped, in the same order", async () => {
  const target = await empty();
  await withService(async ({ post }) => {
    for (const number of [1, 2, 3]) await post({ contact_uid: "anna", event_uid: "n", params: { number } });
  }, target);
  const database = await openDatabase(target, "tables");
  const ids = async (table: string) =>
    (await database.query<{ id: string }>(`SELECT id FROM ${table} ORDER BY id`)).map(({ id }) => id);
  const before = await ids("events");
  const [deletion] = newIds(1);
  for (const id of [before[0], deletion])
    await database.query(
      "INSERT INTO deletions (workspace, id, ids, reason, erased_at) VALUES ('default', $1, $2, 'erasure', 9)",
      [id, [randomUUID()]],
    );
  await database.transaction((query) => markRestored(query, before[1]!));
  const after = await ids("events");
  expect(after[0]).toBe(before[0]);
  expect(after[1]! > deletion!).toBe(true);
  const params = await database.query("SELECT params FROM events ORDER BY id");
  expect(params).toEqual([1, 2, 3].map((number) => ({ params: `{"number":${number}}` })));
  const [kept, renewed] = await ids("deletions");
  expect([kept, renewed! > after[2]!]).toEqual([before[0], true]);
  await database.close();
});

it("is moved to another database without a change for pages and who follows, and is not served here any more", async () => {
  const target = await empty();
  const move = () => run("move-to", target.databaseUrl);
  await withService(() =>
    expect(move()).rejects.toThrow(/^others are connected to the database \(\d+ connections of the same role\)/),
  );
  const before = await everyRow(source);
  expect((await move()).err).toMatch(/^moved \d+ rows of \d+ tables, \d+ of them events: set DATABASE_URL/);
  expect(await neverAnalyzed(target)).toEqual([]);
  expect(await everyRow(target)).toEqual(before);
  const words = /^the database was moved to another one at .+: set DATABASE_URL to that one$/;
  await expect(startService(source)).rejects.toThrow(words);
  await expect(run("dump", file())).rejects.toThrow(words);
  // The way back: what the other one has got since is not here.
  expect((await run("move-to", "--back")).err).toMatch(/^services start on this database again; /);
  await withService(async () => {});
  await expect(run("move-to", "--back")).rejects.toThrow("nothing was moved from this database");
  await expect(runAt(target, "move-to", target.databaseUrl)).rejects.toThrow("the database must be empty");
  await expect(runAt(target, "move-to", "mysql://x")).rejects.toThrow("the URL");
  const nowhere = "postgresql://nobody@127.0.0.1:1/x";
  await expect(runAt(target, "move-to", nowhere)).rejects.toThrow(/^cannot use the database to move to \(/);
});

it("stays where it is if the move fails, or a service starts meanwhile", async () => {
  const [from, to] = [await empty(), await empty()];
  await withService(({ post }) => post({ contact_uid: "anna", event_uid: "kept" }), from);
  // The service that starts meanwhile has nothing left to count.
  await counted(1, from);
  const before = await everyRow(from);
  const move = () => runAt(from, "move-to", to.databaseUrl);
  const user = new pg.Client(to.databaseUrl);
  await user.connect();
  await (await openDatabase(to, { empty: MIGRATIONS.map(({ name }) => name) })).close();
  await user.query("ALTER TABLE events ADD CONSTRAINT none CHECK (false)");
  await expect(move()).rejects.toThrow(/violates check constraint/);
  await user.query("ALTER TABLE events DROP CONSTRAINT none");
  await user.query("BEGIN; LOCK TABLE events IN SHARE MODE");
  const waits = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'";
  const waiting = (count: number) => until(async () => (await ask(server.databaseUrl, waits)).length === count);
  const moving = expect(move()).rejects.toThrow(/^others are connected/);
  await waiting(1);
  // It stores nothing before the move has ended, which then is not alone.
  const serving = withService(async () => {}, { ...from, bounds: AT_ONCE });
  await waiting(2);
  await user.query("COMMIT");
  await Promise.all([moving, serving]);
  expect((await user.query("SELECT 1 FROM events")).rows).toEqual([]);
  await user.end();
  expect(await everyRow(from)).toEqual(before);
});
