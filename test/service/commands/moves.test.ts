import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, Writable } from "node:stream";
import { gunzipSync, gzipSync } from "node:zlib";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runCommand } from "../../../src/service/commands/cli.js";
import { readConfig } from "../../../src/service/config/options.js";
import { filesOf } from "../../../src/service/database/embedded/folder.js";
import { newIds } from "../../../src/service/database/event-id.js";
import { MIGRATIONS } from "../../../src/service/database/migrations.js";
import { openDatabase } from "../../../src/service/database/open-database.js";
import { markRestored } from "../../../src/service/records/lost-places.js";
import { AT_ONCE } from "../support/bounds.js";
import { commandsAt, SHOP } from "../support/command-line.js";
import { everyRow, neverAnalyzed } from "../support/every-row.js";
import { openPlace, type Place } from "../support/places.js";
import { startPostgres } from "../support/postgres-server.js";
import { type RunningService, startService, until } from "../support/running-service.js";

describe("all data of a database", () => {
  let server: Awaited<ReturnType<typeof startPostgres>>;
  let admin: pg.Client;
  let folder: string;
  let source: Awaited<ReturnType<typeof openPlace>>;
  const file = () => join(folder, "dump");
  beforeAll(async () => {
    server = await startPostgres();
    admin = new pg.Client(server.url);
    await admin.connect();
    source = await openPlace();
    folder = await mkdtemp(join(tmpdir(), "tracklet-moves-"));
  });
  afterAll(async () => {
    await admin.end();
    await server.stop();
    await Promise.all([source.leave(), rm(folder, { recursive: true })]);
  });
  const { run, runAt } = commandsAt(() => source);
  /** Makes an empty database. */
  const empty = async () => {
    const name = `target_${randomUUID().slice(0, 8)}`;
    await admin.query(`CREATE DATABASE ${name}`);
    const url = new URL(server.url);
    url.pathname = name;
    return { dataFolder: "", databaseUrl: url.href };
  };
  const serve = (place: Place, work: (service: RunningService) => Promise<void>) =>
    startService({
      ...place,
      workspaces: [SHOP],
      bounds: AT_ONCE,
      adminToken: "test-admin-token",
    }).then((service) => work(service).finally(() => service.close()));
  const untilCounted = (service: RunningService, events: number) =>
    until(async () => (await (await service.get("/v2/numbers")).json()).events.total === events || undefined);
  const events = async (service: RunningService): Promise<{ id: string; settled: boolean }[]> =>
    (await (await service.get("/v2/events")).json()).data;

  // biome-ignore lint/suspicious/noDuplicateTestHooks: between the two, commandsAt makes the tables
  beforeAll(async () => {
    await run("token", "create", "site", "--kind", "api");
    await run("delete-contact", "contact-001");
    await run("left-out", "add", "contact", "ben", "--workspace", SHOP.name);
    await serve(source, (service) => untilCounted(service, 2).then(() => {}));
  });

  it("is dumped to a file for its owner alone, and restored into an empty database", async () => {
    const { err: said } = await run("dump", file());
    const before = await everyRow(source);
    // By it an archive knows the database, also where that is restored or moved.
    expect(before.service_keys).toEqual(expect.arrayContaining([expect.stringMatching(/^\(database,/)]));
    expect(
      Object.entries(before)
        .filter(([, rows]) => rows.length === 0)
        .map(([name]) => name)
        // These are empty as soon as all is counted, and one is emptied at each start.
        .filter((name) => !/^(sums_(stale|renewed|anew)|dead_letters)$/.test(name)),
    ).toEqual([]);
    expect(said).toMatch(/^(the newest event will be .*\n)?wrote \d+ rows of 22 tables, 3 of them events\n$/);
    expect((await stat(file())).mode & 0o777).toBe(0o600);
    const target = await openPlace();
    await rm(filesOf(target.dataFolder).cluster, { recursive: true });
    expect((await runAt(target, "restore", file())).err).toMatch(
      /, as they were at (\S+)\nwhoever was erased after \1 is in it again: --erasures leaves them out\n/,
    );
    const { service_state, ...after } = await everyRow(target);
    expect(after).toEqual({ ...before, service_state: undefined });
    expect(service_state).toEqual(expect.arrayContaining(before.service_state!));
    expect(await neverAnalyzed(target)).toEqual([]);
    await expect(runAt(target, "restore", file())).rejects.toThrow(/the database must be empty, and there are rows in/);
    await target.leave();
  });

  it("has the tables that a newer build has made, whose dump is left to that build, and none of others", async () => {
    const at = { ...(await empty()) };
    await serve(at, async () => {});
    const newer = new pg.Client(at.databaseUrl);
    await newer.connect();
    await newer.query(`CREATE TABLE newer_days (day DATE, "order" TEXT); INSERT INTO newer_days VALUES ('2026-01-31', E'a\\tb');
      CREATE TABLE "Odd name" (id INT);`);
    const [before] = MIGRATIONS.slice(-1);
    const target = await empty();
    await runAt(at, "dump", file());
    expect((await runAt(target, "restore", file())).err).toMatch(
      /^left out the table newer_days: it is none of the service\nrestored \d+ rows of 22 tables/,
    );
    await newer.query(`INSERT INTO schema_migrations (name, run_on) VALUES ('0999-from-${before!.name.slice(0, 4)}-days-12345678', now());
      UPDATE service_keys SET value = '9.9.9' WHERE name = 'build'`);
    await newer.end();
    await runAt(at, "dump", file());
    expect(gunzipSync(await readFile(file())).toString()).toContain(
      '\nCOPY newer_days (day, "order") FROM stdin;\n2026-01-31\ta\\tb\n',
    );
    await expect(runAt(await empty(), "restore", file())).rejects.toThrow(
      / has tables that this build \(\S+\) does not know: restore it with the build 9\.9\.9$/,
    );
  });

  it("is dumped to stdout, and never into the place of what is no plain file", async () => {
    const dump = (stdout: Writable) =>
      runCommand(
        ["dump", "-"],
        { ...readConfig({}), ...source },
        { stdout, stderr: new PassThrough(), bounds: AT_ONCE },
      );
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
    expect((await stat(pipe)).isFIFO()).toBe(true);
  });

  it("is loaded whole or not at all", async () => {
    await run("dump", file());
    const target = await empty();
    const whole = await readFile(file());
    const script = gunzipSync(whole).toString();
    const [line] = script.split("\n", 1);
    const flipped = (at: number) => {
      const bytes = Buffer.from(whole);
      bytes[Math.floor(at * bytes.length)]! ^= 1;
      return bytes;
    };
    for (const [bytes, words] of [
      [Buffer.from("SELECT 1"), /is no dump of the service/],
      [Buffer.from(line!), /is no dump of the service/],
      [gzipSync("SELECT 1"), /is no dump of the service/],
      [whole.subarray(0, whole.length / 2), /is damaged/],
      // The database may complain of it before the checksum is known.
      ...[0.4, 0.6, 0.8, 0.99].map((at) => [flipped(at), /is damaged/] as const),
      [whole.subarray(0, whole.length - 1), /is damaged/],
      [gzipSync(script.replace('"users":137', '"users":136')), "the table users has 137 rows in place of 136"],
    ] as const) {
      await writeFile(file(), bytes);
      await expect(runAt(target, "restore", file())).rejects.toThrow(words);
    }
    await expect(runAt(target, "restore", join(folder, "none"))).rejects.toThrow(
      "cannot be read: there is no such file",
    );
    const { schema_migrations, ...tables } = await everyRow(target);
    expect(schema_migrations).toHaveLength(1);
    expect(Object.values(tables).flat()).toEqual([]);
    await writeFile(file(), whole);
    const list = join(folder, "erasures");
    const { out } = await run("audit", "--erasures");
    await writeFile(list, out);
    const end = new Date(JSON.parse(out).erased_at).toISOString();
    expect((await runAt(target, "restore", file(), "--erasures", list)).err).toContain(
      `erased 0 contacts again\nthe list ends at ${end}: whoever was erased later is in it again\n`,
    );
    expect((await everyRow(target)).users).toHaveLength(137);
  });

  it("is told from what it was by who has followed further than the dump", async () => {
    const target = await empty();
    const places: string[] = [];
    const store = async (service: RunningService) => {
      await service.post({ contact_uid: "anna", event_uid: "followed" });
      places.push(
        await until(async () => {
          const { id, settled } = (await events(service)).at(-1)!;
          return settled ? id : undefined;
        }),
      );
    };
    await serve(source, async (service) => {
      await store(service);
      await run("dump", file());
      await store(service);
    });
    await runAt(target, "restore", file());
    await serve(target, async (service) => {
      await store(service);
      const asked = places.map(async (place) => (await service.get(`/v2/events?after=${place}`)).status);
      expect(await Promise.all(asked)).toEqual([200, 410, 200]);
      const { error } = await (await service.get(`/v2/events?after=${places[1]}`)).json();
      expect(error).toMatch(/^the database was restored from a dump, without what was stored between /);
      await expect(runAt(target, "export", "--follow", "--after", places[1]!)).rejects.toThrow(error);
      const [, from] = /delete what is behind (\S+), and go on from there$/.exec(error)!;
      const behind = (await events(service)).filter(({ id }) => id > from!);
      expect(behind.map(({ id }) => id)).toEqual([places[2]]);
      expect((await service.get(`/v2/events?after=${from}`)).status).toBe(200);
    });
  });

  it("has new ids for what was not settled when it was dumped, in the same order", async () => {
    const target = await empty();
    await serve(target, async (service) => {
      for (const number of [1, 2, 3]) await service.post({ contact_uid: "anna", event_uid: "n", params: { number } });
    });
    const database = await openDatabase(target, "tables");
    const ids = async (table: string) =>
      (await database.query<{ id: string }>(`SELECT id FROM ${table} ORDER BY id`)).map(({ id }) => id);
    const before = await ids("events");
    const [deletion] = newIds(1);
    const deleted =
      "INSERT INTO deletions (workspace, id, ids, reason, erased_at) VALUES ('default', $1, $2, 'erasure', 9)";
    for (const id of [before[0], deletion]) await database.query(deleted, [id, [randomUUID()]]);
    await database.transaction((query) => markRestored(query, before[1]!));
    const after = await ids("events");
    expect(after[0]).toBe(before[0]);
    expect(after[1]! > deletion!).toBe(true);
    expect(await database.query("SELECT params FROM events ORDER BY id")).toEqual(
      [1, 2, 3].map((number) => ({ params: `{"number":${number}}` })),
    );
    const [kept, renewed] = await ids("deletions");
    expect(kept).toBe(before[0]);
    expect(renewed! > after[2]!).toBe(true);
    expect(await database.query("SELECT 1 FROM deletions WHERE reason = 'erasure' AND erased_at = 9")).toHaveLength(2);
    await database.close();
  });

  it("is moved to another database without a change for pages and who follows, and is not served here any more", async () => {
    const target = await empty();
    let ids: string[] = [];
    await serve(source, async (service) => {
      ids = (await events(service)).map(({ id }) => id);
      await expect(run("move-to", target.databaseUrl)).rejects.toThrow(
        /^others are connected to the database \(\d+ connections of the same role\)/,
      );
    });
    const before = await everyRow(source);
    expect((await run("move-to", target.databaseUrl)).err).toMatch(
      /^moved \d+ rows of 22 tables, \d+ of them events: set DATABASE_URL/,
    );
    expect(await everyRow(target)).toEqual(before);
    expect(await neverAnalyzed(target)).toEqual([]);
    await serve(target, async (service) => {
      const { data } = await (await service.get(`/v2/events?after=${ids[0]}`)).json();
      expect(data.map(({ id }: { id: string }) => id)).toEqual(ids.slice(1));
      const event = { contact_uid: "ben", event_uid: "theirs" };
      expect((await service.post(event, {}, `?api_token=${SHOP.apiToken}`)).status).toBe(200);
    });
    const words = /^the database was moved to another one at .+: set DATABASE_URL to that one$/;
    await expect(startService(source)).rejects.toThrow(words);
    await expect(run("dump", file())).rejects.toThrow(words);
    // The way back: what the other one has got since is not here.
    expect((await run("move-to", "--back")).err).toMatch(/^services start on this database again; /);
    await serve(source, async (service) => expect((await events(service)).map(({ id }) => id)).toEqual(ids));
    await expect(run("move-to", "--back")).rejects.toThrow("nothing was moved from this database");
    await expect(runAt(target, "move-to", target.databaseUrl)).rejects.toThrow("the database must be empty");
    await expect(runAt(target, "move-to", "mysql://x")).rejects.toThrow("the URL");
    await expect(runAt(target, "move-to", "postgresql://nobody@127.0.0.1:1/x")).rejects.toThrow(
      /^cannot use the database to move to \(/,
    );
  });

  it("stays where it is if the move fails, or a service starts meanwhile", async () => {
    const [from, to] = [await empty(), await empty()];
    await serve(from, async (service) => {
      await service.post({ contact_uid: "anna", event_uid: "kept" });
      // The service that starts meanwhile has nothing left to count.
      await untilCounted(service, 1);
    });
    const before = await everyRow(from);
    const move = () => runAt(from, "move-to", to.databaseUrl);
    const user = new pg.Client(to.databaseUrl);
    await user.connect();
    await (await openDatabase(to, { empty: MIGRATIONS.map(({ name }) => name) })).close();
    await user.query("ALTER TABLE events ADD CONSTRAINT none CHECK (false)");
    await expect(move()).rejects.toThrow(/violates check constraint/);
    await user.query("ALTER TABLE events DROP CONSTRAINT none");
    await user.query("BEGIN; LOCK TABLE events IN SHARE MODE");
    const waiting = (sessions: number) =>
      until(async () => {
        const { rows } = await admin.query("SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'");
        return rows.length === sessions || undefined;
      });
    const moving = expect(move()).rejects.toThrow(/^others are connected/);
    await waiting(1);
    // It stores nothing before the move has ended, which then is not alone.
    const serving = serve(from, async () => {});
    await waiting(2);
    await user.query("COMMIT");
    await Promise.all([moving, serving]);
    expect((await user.query("SELECT 1 FROM events")).rows).toEqual([]);
    await user.end();
    expect(await everyRow(from)).toEqual(before);
  });
});
