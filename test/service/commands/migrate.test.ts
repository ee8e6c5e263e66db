import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { filesOf } from "../../../src/service/database/embedded/folder.js";
import { AT_ONCE } from "../support/bounds.js";
import { everyRow } from "../support/every-row.js";
import { formerFolder, MODULES } from "../support/postgresql-17/former-folder.js";
import { startService, until } from "../support/running-service.js";
import { SERVICE, spawnService } from "../support/service-process.js";
import { cannotMount, smallDisk } from "../support/small-disk.js";

let former: string;
let rows: Record<string, string[]>;
const folders: string[] = [];
beforeAll(async () => {
  former = await formerFolder(async (databaseUrl) => {
    const service = await startService({ databaseUrl, bounds: AT_ONCE });
    await service.post({ contact_uid: "anna", event_uid: "kept", params: { account_uid: "acme" } });
    await until(async () => (await (await service.get("/v2/numbers")).json()).events.total === 1 || undefined);
    await service.close();
    rows = await everyRow({ databaseUrl, dataFolder: "" });
  });
});
afterAll(() => {
  for (const folder of [former, ...folders]) rmSync(folder, { recursive: true, force: true });
});

/** A copy of the former folder. */
const copy = (below = tmpdir()): string => {
  const folder = mkdtempSync(join(below, "tracklet-former-"));
  folders.push(folder);
  execFileSync("cp", ["-a", `${former}/.`, folder]);
  return folder;
};
const run = (folder: string, ...args: string[]) =>
  spawnService({ TRACKLET_DATA: folder, NODE_PATH: MODULES }, [SERVICE, ...args]);
const versionOf = (folder: string) => readFileSync(join(filesOf(folder).cluster, "PG_VERSION"), "utf8").trim();
/** Moved, served, and the former files are there. */
const expectMoved = async (folder: string) => {
  expect(versionOf(folder)).toBe("18");
  expect(readdirSync(folder).sort()).toEqual(expect.arrayContaining(["cluster", "cluster-17"]));
  expect(existsSync(filesOf(folder).migrating)).toBe(false);
  expect(await everyRow({ dataFolder: folder, databaseUrl: undefined })).toEqual(rows);
};
const MOVED =
  /^moves PostgreSQL 17 to 18, which takes up to \d+ MB more of the \d+ MB that are free\nmoved \d+ rows of \d+ tables, 1 of them events\n/;
const refused = (folder: string) =>
  `service: the database in ${folder} is of PostgreSQL 17, and this build has 18.4: npm run --silent service -- migrate moves it\n`;

it("is refused by a start, moved by the command, and served then", async () => {
  const folder = copy();
  expect(await run(folder).closed).toMatchObject({ code: 1, stderr: refused(folder) });
  const alone = await spawnService({ TRACKLET_DATA: folder }, [SERVICE, "migrate"]).closed;
  expect(alone.stderr).toMatch(/\nservice: postgresql-17-\S+ is not installed, .+\n$/);
  const moved = run(folder, "migrate").closed;
  expect(await moved).toMatchObject({ code: 0, stderr: expect.stringMatching(MOVED) });
  await expectMoved(folder);
  // As where the command is killed between its two last steps.
  const { cluster, migrating } = filesOf(folder);
  mkdirSync(migrating);
  renameSync(cluster, filesOf(migrating).cluster);
  const between = / is between two versions of PostgreSQL: npm run --silent service -- migrate goes on with it\n$/;
  expect(await run(folder).closed).toMatchObject({ code: 1, stderr: expect.stringMatching(between) });
  expect(await run(folder, "migrate").closed).toMatchObject({ code: 0 });
  await expectMoved(folder);
  const service = run(folder);
  await service.ready();
  await service.stop("SIGTERM");
});

it("is as it was where the command is killed while it copies, and moved by the next one", async () => {
  const folder = copy();
  const killed = run(folder, "migrate");
  await until(() => existsSync(join(filesOf(filesOf(folder).migrating).cluster, "PG_VERSION")) || undefined);
  await killed.stop("SIGKILL");
  expect(await run(folder).closed).toMatchObject({ code: 1, stderr: refused(folder) });
  expect(await run(folder, "migrate").closed).toMatchObject({ code: 0, stderr: expect.stringMatching(MOVED) });
  await expectMoved(folder);
});

it.skipIf(cannotMount)("is left alone where there is no room for it twice", async () => {
  const disk = smallDisk(300);
  const folder = copy(disk.folder);
  disk.fill(20_000_000);
  const { code, stderr } = await run(folder, "migrate").closed;
  expect(stderr).toMatch(
    /^service: there must be room for the database twice: \d+ MB more on the disk of \S+, and \d+ MB are free\n$/,
  );
  expect(code).toBe(1);
  expect(versionOf(folder)).toBe("17");
  disk.remove();
});
