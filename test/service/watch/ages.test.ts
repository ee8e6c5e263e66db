import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, it } from "vitest";
import { runCommand } from "../../../src/service/commands/cli.js";
import { readConfig } from "../../../src/service/config/read-config.js";
import type { Database } from "../../../src/service/database/database.js";
import { openDatabase } from "../../../src/service/database/open-database.js";
import { createEventAges } from "../../../src/service/watch/ages.js";
import { findProgram } from "../../support/engines.js";
import { launch, ROOT } from "../../support/launch.js";
import { basic } from "../support/basic.js";
import { overDatabase } from "../support/over-database.js";
import { API_TOKEN, type RunningService, startService } from "../support/running-service.js";

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
const WATCHED = ["signed_up", "old", "pageview", "refused"];

overDatabase((place) => {
  let database: Database;
  let service: RunningService;
  const start = async () => {
    database = await openDatabase(place());
    service = await startService({ ...place(), database, adminToken: "test-admin-token", watchedEvents: WATCHED });
  };
  beforeAll(start);
  afterAll(() => service.close());

  const ages = async (): Promise<Map<string, number>> => {
    const metrics = await service.metrics();
    const found = metrics.matchAll(/^tracklet_event_age_seconds\{workspace="default",event_uid="(.*)"\} (.+)$/gm);
    return new Map([...found].map(([, name, seconds]) => [name!, Number(seconds)]));
  };
  const check = async (...expected: string[]): Promise<string> => {
    const stderr = new PassThrough();
    const said = text(stderr);
    const config = { ...readConfig({}), ...place() };
    await runCommand(["check", "--expect", ...expected], config, { stdout: new PassThrough().resume(), stderr });
    stderr.end();
    return said;
  };

  it("knows how long ago an event came, also before it began, and what is of the past is none", async () => {
    await service.post({ contact_uid: "a", event_uid: "signed_up" });
    expect((await ages()).get("signed_up")).toBeLessThan(60);
    await database.query("UPDATE events SET received_at = received_at - $1", [3 * HOUR]);
    await service.close();
    await start();
    const history = [{ contact_uid: "a", event_uid: "old", received_at: Date.now() - 1_000 }];
    const answer = await fetch(`${service.url}/v1/track/events`, {
      method: "POST",
      headers: { "content-type": "application/json", ...basic("test-admin-token:") },
      body: JSON.stringify(history),
    });
    expect(await answer.json()).toEqual([{ index: 0, status: "stored" }]);
    let told = await ages();
    expect([...told.keys()]).toEqual(["", "signed_up"]);
    for (const age of told.values()) expect(age / 3_600).toBeCloseTo(3, 1);
    expect((await service.post({ contact_uid: "", event_uid: "refused" })).status).toBe(400);
    await service.post({ contact_uid: "a", event_uid: "pageview" }, {}, `?api_token=${encodeURIComponent(API_TOKEN)}`);
    told = await ages();
    expect([...told.keys()]).toEqual(["", "signed_up", "pageview"]);
    expect(told.get("")).toBeLessThan(60);
    expect(told.get("signed_up")).toBeGreaterThan(3_000);
  });

  it("has a command that fails where an event has not come in time", async () => {
    expect(await check("signed_up:4h", "pageview:10m", "*:1h")).toBe("3 of 3 have come in time\n");
    await expect(check("signed_up:2h", "pageview:1d", "never:1d")).rejects.toThrow(
      /^no event "signed_up" for 2 h, the last one came at \d{4}-.*Z\nno event "never" for 1 d, there was none$/,
    );
    // It was received elsewhere.
    await expect(check("old:1d")).rejects.toThrow(/^no event "old"/);
    for (const wrong of ["signed_up", "signed_up:0h", "signed_up:24", ":1h"])
      await expect(check(wrong)).rejects.toThrow(/must be a name and a time, such as signed_up:24h/);
    await expect(runCommand(["check"], readConfig({}))).rejects.toThrow(/required option '--expect/);
  });
});

const promtool = findProgram("promtool");

it.skipIf(promtool === undefined)(
  "the rules of Prometheus tell a night from an outage, and sums that are behind",
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "tracklet-rules-"));
    const rules = join(ROOT, "src/service/deploy/prometheus-rules.yaml");
    // An event each minute by day, none for ten hours by night, for eight days; then none from the noon of the last day on.
    const [day, night] = ["0x839 ", "0+60x599 "];
    const values = `${(day + night).repeat(8)}${"0x239 "}0+60x400`;
    const noon = 8 * 24 * 60 + 240;
    const at = (minute: number, alerts: object[]) => ({
      eval_time: `${minute}m`,
      alertname: "TrackletEventsStopped",
      exp_alerts: alerts,
    });
    // Prometheus leaves out a label that is empty.
    const labels = { workspace: "shop" };
    const stopped = {
      exp_labels: { ...labels, severity: "page" },
      exp_annotations: { summary: "no event of the workspace shop for 1h 0m 0s" },
    };
    const behind = { ...stopped, exp_annotations: { summary: "the figures of the workspace shop are 12m 40s behind" } };
    const tests = {
      rule_files: [rules],
      evaluation_interval: "1m",
      tests: [
        {
          interval: "1m",
          input_series: [
            { series: 'tracklet_event_age_seconds{event_uid="",workspace="shop",instance="a"}', values },
            // A second process, to which nothing comes.
            {
              series: 'tracklet_event_age_seconds{event_uid="",workspace="shop",instance="b"}',
              values: `100000+60x${noon + 400}`,
            },
            { series: 'tracklet_sums_behind_seconds{workspace="shop",instance="a"}', values: "0x9 400+60x9 0x9" },
          ],
          alert_rule_test: [
            at(7 * 24 * 60 + 600, []),
            at(8 * 24 * 60 - 30, []),
            at(noon + 10, []),
            at(noon + 60, [stopped]),
            { ...at(9, []), alertname: "TrackletSumsBehind" },
            { ...at(16, [behind]), alertname: "TrackletSumsBehind" },
          ],
        },
      ],
    };
    const file = join(folder, "tests.yaml");
    await writeFile(file, JSON.stringify(tests));
    for (const args of [
      ["check", "rules", rules],
      ["test", "rules", file],
    ]) {
      const checked = launch(promtool!, args, { cwd: folder, env: process.env });
      const { code } = await checked.closed;
      expect([args[0], code, checked.said()]).toEqual([args[0], 0, expect.stringContaining("SUCCESS")]);
    }
    await rm(folder, { recursive: true });
  },
  60_000,
);
