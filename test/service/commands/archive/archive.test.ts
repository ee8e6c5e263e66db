import { chown, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { type Folder, type Manifest, openFolder } from "../../../../src/service/commands/archive/archive-folder.js";
import { archiveWorkspace, type Until } from "../../../../src/service/commands/archive/write-days.js";
import { runCommand } from "../../../../src/service/commands/cli.js";
import { readConfig } from "../../../../src/service/config/options.js";
import type { Database } from "../../../../src/service/database/database.js";
import { idAt } from "../../../../src/service/database/event-id.js";
import { openDatabase } from "../../../../src/service/database/open-database.js";
import { eraseContacts } from "../../../../src/service/deletion/erasure.js";
import { deleteEventsBefore } from "../../../../src/service/deletion/retention.js";
import type { NewEvent } from "../../../../src/service/ingest/store/event-rows.js";
import { knowArchive } from "../../../../src/service/records/known-archives.js";
import { ROOT } from "../../../support/launch.js";
import { AT_ONCE } from "../../support/bounds.js";
import { storeEvents } from "../../support/database.js";
import { DAY, TODAY, useCommands } from "../../support/fixtures.js";
import { askDuck, eventsInFiles, eventsInTable } from "./files.js";

const HOUR = DAY / 24;
const { place, run } = useCommands();
let database: Database;
let folder: string;
let archive: Folder;
beforeAll(async () => {
  database = await openDatabase(place, "tables");
});
afterAll(() => database.close());
beforeEach(async () => {
  for (const table of ["events", "deletions", "contacts", "tombstones", "audit"])
    await database.query(`DELETE FROM ${table}`);
  await database.query("DELETE FROM service_state WHERE name LIKE 'archive %'");
  folder = await mkdtemp(join(tmpdir(), "tracklet-archive-"));
  archive = openFolder(folder);
});
afterEach(async () => {
  await archive.close();
  await rm(folder, { recursive: true });
});

const told = (contactUid: string, receivedAt: number, more: Partial<NewEvent> = {}): Partial<NewEvent> => ({
  contactUid,
  receivedAt,
  ...more,
});
const put = (...events: Partial<NewEvent>[]) => storeEvents(database, events);
/** All that has been stored. */
const go = (until: Partial<Until> = {}) =>
  archiveWorkspace(
    database,
    { workspace: "default", folder: archive, say: () => {} },
    { settled: idAt(Date.now() + 1), now: false, ...until },
  );
/** Commands open the folder themselves. */
const inFolder = async <T>(work: () => Promise<T>): Promise<T> => {
  await archive.close();
  return work().finally(() => {
    archive = openFolder(folder);
  });
};
const erase = (...uids: string[]) => eraseContacts(database, { workspace: "default", uids, token: "test" });
const names = async () =>
  (await readdir(join(folder, "workspace=default"), { recursive: true }))
    .filter((one) => one.endsWith("parquet"))
    .sort();

it("has every column as the table has it, by account and time, in files of their days", async () => {
  const odd = `${String.raw`{"text":"a\u0000\\n\"☃","n":1e400,`}\n\t"\\\\":"\r"}`;
  const stamp = `{"a":1,"event_id":"5a2b0c1d-0000-4000-a000-000000000000","occurred_at":${TODAY - 3 * DAY},"event_source":"5a2b0c1d-0000-4000-a000-000000000001","event_seq":7}`;
  const stamped = { params: stamp, stamp: "5a2b0c1d-0000-4000-a000-000000000000", occurredAt: TODAY - 3 * DAY };
  const page = { isProven: true, page: "shop.example/a", referrerHost: "other.example" };
  await put(
    told("anna", TODAY - 2 * DAY + 5, { accountUid: "b", params: odd, ...page }),
    told('\u0000"\ud83d\t', TODAY - 2 * DAY + 4, { accountUid: "b\\N", eventUid: "\\N" }),
    told("ben", TODAY - 2 * DAY + 3, { accountUid: "a", ...stamped }),
    told("cleo", TODAY - DAY, { originId: "5a2b0c1d-0000-4000-a000-000000000002", isProven: false }),
    told("dora", TODAY + 1),
  );
  expect(await go({ settled: idAt(TODAY + HOUR) })).toMatchObject({ events: 4, files: 2 });
  const day = (ago: number) => new Date(TODAY - ago * DAY).toISOString().slice(0, 10);
  expect(await names()).toEqual([`day=${day(2)}/${day(2)}.parquet`, `day=${day(1)}/${day(1)}.parquet`]);
  expect(await eventsInFiles(folder)).toEqual((await eventsInTable(database.query)).slice(0, 4));
  const inFile = await eventsInFiles(folder, ", file_row_number, day::VARCHAR AS day");
  const sorted = inFile
    .filter((one) => one.day === day(2))
    .sort((a, b) => Number(a.file_row_number) - Number(b.file_row_number));
  expect(sorted.map(({ account_uid }) => account_uid)).toEqual(["a", "b", "b\\\\N"]);

  // Begun again, it goes on: what is of a day that is not over only where that is asked for, and in a file of its own.
  expect(await go({ settled: idAt(TODAY + HOUR) })).toMatchObject({ events: 0, files: 0 });
  expect(await go({ settled: idAt(TODAY + HOUR), now: true })).toMatchObject({ events: 1, files: 1 });
  const docs = await readFile(join(ROOT, "docs/service/archive.md"), "utf8");
  const line = /^duckdb -c "(.+)"$/m.exec(docs)![1]!.replace("/var/archive", folder);
  expect((await askDuck(line)).map(({ events }) => events)).toEqual([1, 2, 1, 1]);
});

it("says after an erasure where the person is still, and is forgotten where that is asked for", async () => {
  await put(told("anna", TODAY - 40 * DAY));
  await inFolder(async () => {
    expect((await run("archive", folder)).err).toMatch(
      /^default: wrote 1 events to 1 files: all that was stored before /,
    );
    await deleteEventsBefore(database, "default", TODAY - 30 * DAY);
    const by = `done in the database; in ${folder} by the next run of archive\n`;
    expect((await run("erase", "anna")).err).toBe(`there is no contact "anna" in the database\n${by}`);
    // A notice stays until it has been read, though retention goes further.
    await deleteEventsBefore(database, "default", Date.now() + DAY);
    const taken = "default: took 1 deleted events out of 1 files: nothing is in any that was erased before 20";
    expect((await run("archive", folder)).err).toContain(taken);
    const forget = ["--forget", "--workspace", "default"];
    expect((await run("archive", folder, ...forget)).err).toBe(`default: forgot the archive in ${folder}\n`);
    await expect(run("archive", folder)).rejects.toThrow(
      `the archive of default in ${folder} was forgotten: begin a new one`,
    );
    const nowhere = join(folder, "nowhere");
    await expect(run("archive", nowhere, "--forget")).rejects.toThrow(`there is no archive in ${nowhere}`);
    await expect(run("archive", nowhere, "--check")).rejects.toThrow("there is no archive in ");
  });
});

it("is refused where the database was restored to before the files, and forgotten with its workspace", async () => {
  await put(told("anna", TODAY - 3 * DAY));
  await go();
  const restored = `restored ${idAt(TODAY - 4 * DAY)}`;
  await database.query("INSERT INTO service_state (name, value) VALUES ($1, $2)", [restored, Date.now()]);
  await expect(go()).rejects.toThrow(
    `${folder} has what the database has not: begin a new archive, for the database was`,
  );
  await database.query("DELETE FROM service_state WHERE name = $1", [restored]);
  await writeFile(join(folder, "workspace=default/_manifest.json"), "{}");
  await expect(go()).rejects.toThrow("_manifest.json is no manifest of this build");
  await run("workspace", "create", "passing");
  await knowArchive(database.query, "passing", folder, 1);
  await run("workspace", "delete", "passing", "--yes");
  expect(await database.query("SELECT 1 FROM service_state WHERE name LIKE 'archive passing %'")).toEqual([]);
});

it("waits until whoever was erased a moment ago can be taken out", async () => {
  await put(told("anna", TODAY - 3 * DAY));
  await erase("anna");
  const [stderr, bounds] = [new PassThrough(), { ...AT_ONCE, settled: 2_000 }];
  const said = text(stderr);
  const config = { ...readConfig({}), ...place };
  await inFolder(() => runCommand(["archive", folder, "--now"], config, { stdout: stderr, stderr, bounds }));
  stderr.end();
  expect(await said).toMatch(/\nthe newest erasure will be settled in \d s: waiting until then\n/);
});

it.skipIf(process.getuid?.() !== 0)("is its folder's owner's, and nobody else's, where root makes it", async () => {
  const OWNER = 65_534;
  await inFolder(() => chown(folder, OWNER, OWNER));
  await put(told("anna", TODAY - 3 * DAY));
  await go();
  await inFolder(async () => {
    const made = await readdir(folder, { recursive: true, withFileTypes: true });
    expect(made).toHaveLength(5);
    for (const entry of made) {
      const { uid, mode } = await stat(join(entry.parentPath, entry.name));
      expect([entry.name, uid, mode & 0o777]).toEqual([entry.name, OWNER, entry.isDirectory() ? 0o700 : 0o600]);
    }
  });
});

it("is for one process at a time, and says when its disk is full", async () => {
  expect(() => openFolder(folder)).toThrow(`another process works on the archive in ${folder}`);
  if (process.platform !== "linux") return;
  const full = archive.make("file", () => writeFile("/dev/full", "much"));
  await expect(full).rejects.toThrow(`${folder} cannot be written: the disk is full; run it again when that is mended`);
});

it("is compared with the database, and with the manifest where retention was; what is in no file is kept", async () => {
  await put(
    ...[40, 20, 2].map((ago) => told("anna", TODAY - ago * DAY)),
    told("ben", TODAY - 2 * DAY),
    told("new", TODAY),
  );
  await go();
  const check = () => run("archive", folder, "--check", "--workspace", "default");
  const retention = (days: number) => run("archive", folder, "--delete-older-than", String(days));
  const [, file] = await names();
  const at = join(folder, "workspace=default", file!);
  const manifest = join(folder, "workspace=default/_manifest.json");
  const [bytes, made] = [await readFile(at), JSON.parse(await readFile(manifest, "utf8")) as Manifest];
  const write = (others: Partial<Manifest>) => writeFile(manifest, JSON.stringify({ ...made, ...others }));
  await inFolder(async () => {
    // What is deleted here, and is there until the next run, is no difference.
    await erase("ben");
    expect((await check()).err).toBe("default: 4 events in 3 files are as they should be\n");
    expect((await retention(30)).err).toContain(`default: deleted 1 events, which are in ${folder}\n`);
    expect((await check()).err).toContain("of 1 files retention has deleted events here");
    await put(told("late", TODAY - 20 * DAY));
    for (const ask of [check, () => retention(10)])
      await expect(ask()).rejects.toThrow(`${file}: has not 1 events that the database has`);
    await database.query("DELETE FROM events WHERE contact_uid = 'late'");
    const files = (more: object) => write({ files: made.files.map((one) => ({ ...one, ...more })) });
    // One bit of what is in it, behind which all that the file says of itself is as it was.
    const flipped = Buffer.from(bytes);
    flipped[100]! ^= 1;
    for (const [damage, words] of [
      [() => rm(at), `${file}: is not there`],
      [() => writeFile(at, flipped), `${file}: is damaged: its checksum is another one`],
      [() => files({ rows: 7 }), `${file}: has 7 events, and the database 1`],
      [() => write({ database: "another" }), `${folder} is the archive of another database: name another place`],
    ] as const) {
      await damage();
      await expect(check(), words).rejects.toThrow(words);
      await Promise.all([writeFile(at, bytes), write({})]);
    }
    await write({ files: made.files.slice(2) });
    await expect(check()).rejects.toThrow(/workspace=default: \d events of the database are in no file$/);
    await write({});
    expect(await eventsInTable(database.query)).toHaveLength(3);
    await database.query("UPDATE events SET received_at = 0");
    // However short: what is of today is in no file.
    expect((await retention(1)).err).toMatch(/\ndefault: deleted \d events/);
    expect((await eventsInTable(database.query)).map(({ contact_uid }) => contact_uid)).toEqual(["new"]);
    // A file that was written anew, and the end came before the manifest had it.
    await erase("anna");
    await run("archive", folder);
    const clean = await readFile(manifest, "utf8");
    await write({});
    await run("archive", folder);
    expect(JSON.parse(await readFile(manifest, "utf8")).files).toEqual(JSON.parse(clean).files);
    await rm(at);
    await write({});
    await expect(run("archive", folder)).rejects.toThrow(`${file} is not there, though the manifest has it`);
  });
});
