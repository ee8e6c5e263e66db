import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, it } from "vitest";
import { runCommand } from "../../../src/service/commands/cli.js";
import { readConfig } from "../../../src/service/config/options.js";
import type { Database } from "../../../src/service/database/database.js";
import { idAt } from "../../../src/service/database/event-id.js";
import { openDatabase } from "../../../src/service/database/open-database.js";
import { writeState } from "../../../src/service/database/service-state.js";
import { createEventAges } from "../../../src/service/monitoring/metrics.js";
import { usePlace } from "../support/fixtures.js";
import { basic, type RunningService, startService } from "../support/service.js";
import { runTold } from "../support/told-command.js";

it("tells of the names that the operator lists, and of all together, whatever a stranger sends", () => {
  const ages = createEventAges(["signed_up", "paid"]);
  for (let round = 0; round < 10_000; round += 1) ages.seen("shop", `chance ${round}`, round);
  ages.seen("shop", "signed_up", 5_000);
  const told = [
    { workspace: "shop", event_uid: "", seconds: 2.001 },
    { workspace: "shop", event_uid: "signed_up", seconds: 7 },
  ];
  expect(ages.list(12_000)).toEqual(told);
  // A clock that was set back.
  expect(ages.list(0)[0]!.seconds).toBe(0);
});

const HOUR = 3_600_000;
const place = usePlace();
let database: Database;
let service: RunningService;
const start = async () => {
  database = await openDatabase(place);
  const watchedEvents = ["signed_up", "old", "pageview", "refused"];
  service = await startService({ ...place, database, adminToken: "test-admin-token", watchedEvents });
};
const restart = () => service.close().then(start);
beforeAll(start);
afterAll(() => service.close());

const ages = async (): Promise<Map<string, number>> => {
  const found = (await service.metrics()).matchAll(
    /^tracklet_event_age_seconds\{workspace="default",event_uid="(.*)"\} (.+)$/gm,
  );
  return new Map([...found].map(([, name, seconds]) => [name!, Number(seconds)]));
};
const check = async (...expected: string[]): Promise<string> =>
  (await runTold(place, "check", "--expect", ...expected)).out;

it("knows how long ago an event came, also before it began, and what is of the past is none", async () => {
  await service.post({ contact_uid: "a", event_uid: "signed_up" });
  expect((await ages()).get("signed_up")).toBeLessThan(60);
  await database.query("UPDATE events SET received_at = received_at - $1", [3 * HOUR]);
  await restart();
  // What was received elsewhere has not come here, whether this process has seen it or one before.
  const old = { contact_uid: "a", event_uid: "old", received_at: Date.now() - 1_000 };
  const answer = await service.several([old], basic("test-admin-token:"), "");
  expect(await answer.json()).toEqual([{ index: 0, status: "stored" }]);
  await restart();
  let told = await ages();
  expect([...told.keys()]).toEqual(["", "signed_up"]);
  for (const age of told.values()) expect(age / 3_600).toBeCloseTo(3, 1);
  expect((await service.post({ contact_uid: "", event_uid: "refused" })).status).toBe(400);
  await service.post({ contact_uid: "a", event_uid: "pageview" });
  told = await ages();
  expect([...told.keys()]).toEqual(["", "signed_up", "pageview"]);
  expect([told.get("")! < 60, told.get("signed_up")! > 3_000]).toEqual([true, true]);
});

it("has a command that fails where an event has not come in time", async () => {
  // As if it had been made then: of a new one it says so, and fails.
  await expect(check("*:1h")).rejects.toThrow(
    /^the database is new, made \d+ s ago: is it the one that you mean\? If so, this goes within a day$/,
  );
  await database.query("UPDATE workspaces SET created_at = created_at - $1", [40 * 24 * HOUR]);
  const words = (await check("signed_up:4h", "pageview:10m", "*:1h")).replace(/\d+(\.\d+)?/g, "N").split("\n");
  expect(words.filter((line) => !/^ok {5}N GB are free/.test(line))).toEqual([
    "ok     a service runs",
    "ok     the database is N days old",
    "ok     the last event came N s ago",
    "ok     N statements wait for a lock, the oldest transaction is open for N s",
    "ok     all that was stored up to N s ago is settled",
    "ok     the figures are N s behind",
    "ok     events are kept for ever: TRACKLET_RETENTION_DAYS is not set",
    "ok     `backup` was never run here",
    ...["signed_up", "pageview", "*"].map((name) => `ok     the event "${name}" has come in time`),
    "",
  ]);
  const backup = { backup_asked: 1, backup_done: Date.now() - 50 * HOUR, backup_anew: Date.now() - 3 * HOUR };
  await writeState(database.query, backup);
  await expect(check("*:1h")).rejects.toThrow(
    /^the last backup is 2 days old; no `--drill` has tried it\na backup found no dump of those before 3 h ago: is its/,
  );
  const metrics = await service.metrics();
  for (const one of [/^tracklet_backup_age_seconds 18\d{4}/m, /^tracklet_backup_anew_age_seconds 108\d\d/m])
    expect(metrics).toMatch(one);
  await writeState(database.query, { backup_done: Date.now(), backup_anew: 1 });
  await expect(check("signed_up:2h", "pageview:1d", "never:1d", "old:1d")).rejects.toThrow(
    /^no event "signed_up" for 2 h, the last one came at \d{4}-.*Z\nno event "never" for 1 d, there was none\nno event "old"/,
  );
  for (const wrong of ["signed_up", "signed_up:0h", "signed_up:24", ":1h"])
    await expect(check(wrong)).rejects.toThrow(/must be a name and a time, such as signed_up:24h/);
  // Nobody has deleted it, nor has anybody counted it.
  await database.query("UPDATE events SET id = $1 WHERE event_uid = 'old'", [idAt(Date.now() - 9.5 * 24 * HOUR)]);
  const kept = (retentionDays: number) => runTold({ ...place, retentionDays }, "check", "--expect", "*:1h");
  await expect(kept(30)).rejects.toThrow(/^the figures are 9 days behind$/);
  await expect(kept(7)).rejects.toThrow("retention is 2 days behind, it never ended well");
});

it("fails where no service runs, and knows of no event where there is not even a workspace", async () => {
  await database.query("DELETE FROM workspaces");
  await service.close();
  const stdout = new PassThrough();
  const checked = runCommand(["check"], { ...readConfig({}), ...place }, { stdout, stderr: new PassThrough() });
  await expect(checked).rejects.toThrow(/^no service runs\nthe database is new/);
  expect(await text(stdout.end())).toMatch(/^WRONG {2}no service runs\n(.*\n)+ok {5}no event has come yet\n/);
});
