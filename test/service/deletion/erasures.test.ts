/** The list of erasures beside a database of the service's own: what is in it, and whose it is. */
import { appendFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import type { Database } from "../../../src/service/database/database.js";
import { eraseContacts } from "../../../src/service/deletion/erasure.js";
import { readErasures } from "../../../src/service/deletion/erasure-files.js";
import { useDatabase, usePlace } from "../support/fixtures.js";
import { runTold } from "../support/told-command.js";

const place = usePlace();
const database = useDatabase(place);
const list = () => join(place.dataFolder, "erasures");
const erase = (uid: string, by: Partial<Database> = {}, tell = (_: string) => {}) =>
  eraseContacts({ ...database, ...by }, { workspace: "default", uids: [uid], token: "test", tell });
const listed = async () => (await readErasures(list())).marks.length;
const buried = async () => (await database.query("SELECT 1 FROM tombstones")).length;

it("has an erasure before the database has it, by the database's clock", async () => {
  const seen: number[] = [];
  const transaction: Database["transaction"] = async (work) => {
    if (seen.length === 0) seen.push(await listed(), await buried());
    return database.transaction(work);
  };
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 200_000 });
  await erase("anna", { transaction });
  vi.useRealTimers();
  expect(seen).toEqual([1, 0]);
  const [row] = await database.query("SELECT erased_at FROM tombstones");
  expect((await readErasures(list())).marks).toMatchObject([{ erased_at: Number(row!.erased_at) }]);
  expect(Math.abs(Number(row!.erased_at) - Date.now())).toBeLessThan(60_000);
});

it("loses what is known to be rolled back, and keeps what may have been committed, and says so", async () => {
  const told: string[] = [];
  const tell = (text: string) => void told.push(text);
  await database.query("ALTER TABLE tombstones ADD CONSTRAINT none CHECK (workspace = '') NOT VALID");
  await expect(erase("ben", {}, tell)).rejects.toThrow(/violates check constraint/);
  await database.query("ALTER TABLE tombstones DROP CONSTRAINT none");
  const lost = new Error("Connection terminated unexpectedly");
  await expect(erase("ben", { transaction: () => Promise.reject(lost) }, tell)).rejects.toBe(lost);
  expect([await listed(), await buried(), told.length]).toEqual([1, 1, 0]);
  const transaction: Database["transaction"] = async (work) => {
    await database.transaction(work);
    throw lost;
  };
  await expect(erase("ben", { transaction }, tell)).rejects.toBe(lost);
  expect([await listed(), await buried()]).toEqual([2, 2]);
  expect(told).toEqual([expect.stringMatching(/^it is not known whether 1 contacts were erased/)]);
});

it("goes on behind a line that was broken off, and is refused where a line is damaged", async () => {
  await appendFile(list(), '{"id":"0190');
  await erase("carl");
  expect(await listed()).toBe(3);
  const whole = await readFile(list(), "utf8");
  await writeFile(list(), whole.replace('"id"', "id"));
  await expect(listed()).rejects.toThrow(/erasures, line 1: it is no erasure$/);
  await writeFile(list(), whole);
});

it("is refused with the key of another database, and begins anew over one", async () => {
  const [key, written] = [`${list()}.key`, join(place.dataFolder, "written")];
  await writeFile(written, (await runTold(place, "audit", "--erasures")).out);
  const own = await readFile(key, "utf8");
  for (const file of [list(), written]) {
    await writeFile(`${file}.key`, own);
    expect((await readErasures(file)).marks.length).toBeGreaterThan(2);
    await writeFile(
      `${file}.key`,
      own.replace(/^./, (digit) => (digit === "0" ? "1" : "0")),
    );
    await expect(readErasures(file)).rejects.toThrow(/erasures.+ is not its key$|written\.key is not its key$/);
  }
  await erase("dora");
  expect([await listed(), await readFile(key, "utf8")]).toEqual([1, own]);
});
