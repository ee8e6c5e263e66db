/** The dump of each day: what is kept of it, and that it can be restored. */
import { spawnSync } from "node:child_process";
import { mkdir, readdir, rm, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { DAY, useCommands, useFolder, usePlace } from "../support/fixtures.js";
import { cannotMount, smallDisk } from "../support/small-disk.js";

const { place, run, runAt, withService } = useCommands(usePlace());
const folder = useFolder();
/** Another database. */
const other = usePlace();
beforeAll(() => withService(async () => {}, other));

const nameAt = (days: number) =>
  `tracklet-${new Date(Date.now() - days * DAY).toISOString().slice(0, 19).replaceAll(":", "-")}Z.dump`;
const dumpsIn = async (folder: string) => (await readdir(folder)).filter((name) => /\.dump/.test(name));

it("leaves a dump for its owner alone, beside the list of erasures, and keeps those of 14 days", async () => {
  await run("erase", "contact-001");
  await writeFile(join(folder, "notes.txt"), "not ours");
  const names = [20, 15, 13].map(nameAt);
  for (const name of names) await writeFile(join(folder, name), "");
  await writeFile(join(folder, "tracklet.dump.part"), "broken off");
  expect((await run("backup", folder)).err).toMatch(/wrote \d+ rows of \d+ tables, 3 of them events; 2 dumps are in /);
  const dumps = await dumpsIn(folder);
  expect(dumps).toEqual([names[2], expect.stringMatching(/^tracklet-.*Z\.dump$/)]);
  expect((await readdir(folder)).sort()).toEqual(["erasures", "notes.txt", ...dumps]);
  for (const name of ["erasures", dumps[1]!]) expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600);
});

it("restores the last dump for a drill, leaves nothing of it, and tells where that cannot be", async () => {
  const drill = (at = place, from = folder) => runAt(at, "backup", from, "--drill");
  expect((await drill()).err).toMatch(/\.dump can be restored: \d+ rows .*; now there are 3 events\n$/);
  await expect(stat(`${place.dataFolder}-drill`)).rejects.toThrow("ENOENT");
  await expect(drill(other)).rejects.toThrow(/is of another database$/);
  const last = join(folder, (await dumpsIn(folder)).at(-1)!);
  await truncate(last, (await stat(last)).size - 100);
  await expect(drill()).rejects.toThrow(/is damaged/);
  await expect(drill(place, join(folder, "none"))).rejects.toThrow("there is no dump of `backup` in");
  const failed = /the last `--drill` failed \d+ s ago, and none went well since/;
  await expect(run("check")).rejects.toThrow(failed);
  await run("backup", folder);
  await drill();
  await expect(run("check")).rejects.not.toThrow(failed);
});

it("refuses a folder that is not there, and tells of one that has no dump of those before, as of a disk that is not mounted", async () => {
  const [typo, empty] = [join(folder, "typo"), join(folder, "empty")];
  await mkdir(empty);
  await expect(run("backup", typo)).rejects.toThrow(`${typo} cannot hold dumps: `);
  await expect(stat(typo)).rejects.toThrow("ENOENT");
  const none = /^there is no dump in .*, but there were backups before: is its disk mounted\?\n/;
  expect((await run("backup", empty)).err).toMatch(none);
  await expect(run("check")).rejects.toThrow(/a backup found no dump of those before \d+ s ago: is its disk mounted\?/);
  await rm(empty, { recursive: true });
});

it("erases again in a copied folder whoever is in the list, and nobody by the list of another database", async () => {
  const copy = { dataFolder: `${place.dataFolder}-copy`, databaseUrl: undefined };
  spawnSync("cp", ["-a", place.dataFolder, copy.dataFolder]);
  await run("erase", "ben");
  await run("backup", folder);
  const [list, contacts] = [join(folder, "erasures"), ["export", "contacts", "--format", "csv"]];
  await expect(runAt(copy, "erase", "ben", "--from", list)).rejects.toThrow("name a uid, or --file, or --from");
  for (const again of [1, 0])
    expect((await runAt(copy, "erase", "--from", list)).err).toBe(`erased ${again} contacts again\n`);
  expect((await runAt(copy, ...contacts)).out).toBe((await run(...contacts)).out);
  await runAt(other, "dump", join(folder, "other"));
  await expect(runAt(other, "erase", "--from", list)).rejects.toThrow(/has another key than these: its list is of/);
  await rm(copy.dataFolder, { recursive: true });
});

it.skipIf(cannotMount)("takes half of what is free at most, and says what it keeps no more", async () => {
  const disk = smallDisk(1);
  const old = [5, 4, 3, 2, 1].map(nameAt);
  try {
    for (const name of old) await writeFile(join(disk.folder, name), Buffer.alloc(150_000));
    const { err } = await run("backup", disk.folder);
    expect(err).toMatch(/; 3 dumps are in .*\ndeleted 3 dumps of the last 14 days: /);
    const kept = await dumpsIn(disk.folder);
    expect(kept.slice(0, 2)).toEqual(old.slice(3));
    await rm(join(disk.folder, old[4]!));
    disk.fill(64_000);
    await rm(join(disk.folder, kept[2]!));
    await expect(run("backup", disk.folder)).rejects.toThrow(
      /^a dump takes more than the 0 MB that it may in .*: name a/,
    );
    // The last one is still there.
    expect(await dumpsIn(disk.folder)).toEqual([old[3]]);
  } finally {
    disk.remove();
  }
});
