import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { findProgram } from "../../support/engines.js";
import { launch, ROOT } from "../../support/launch.js";
import { startService } from "../support/running-service.js";

const DEPLOY = join(ROOT, "src/service/deploy");
const RULES = join(DEPLOY, "prometheus-rules.yaml");
const promtool = findProgram("promtool");

interface Rule {
  alert?: string;
  record?: string;
  expr: string;
  annotations?: { runbook_url: string };
}
const { groups } = parse(await readFile(RULES, "utf8")) as { groups: { rules: Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);
const alarms = rules.flatMap(({ alert }) => alert ?? []);

/** Where the runbook says what an alarm means. */
const linkOf = (alarm: string) =>
  `https://git.example/tracklet/blob/main/docs/service/runbook.md#${alarm.toLowerCase()}`;

/** Series of a minute's interval, at which minute the alarm is looked at, and what it says then, if anything. */
interface Case {
  alarm: string;
  series: Record<string, string>;
  at: number;
  labels?: object;
  says?: string;
  severity?: "ticket";
}

/** An event each minute by day, none for ten hours by night, for eight days; then none from the noon of the last day on. */
const DAYS = `${"0x839 0+60x599 ".repeat(8)}0x239 0+60x400`;
const NOON = 8 * 24 * 60 + 240;
const AGES = {
  'tracklet_event_age_seconds{event_uid="",workspace="shop",instance="a"}': DAYS,
  // A second unit, to which nothing comes.
  'tracklet_event_age_seconds{event_uid="",workspace="shop",instance="b"}': `100000+60x${NOON + 400}`,
};
const REQUESTS = 'tracklet_http_request_seconds_count{method="POST",route="/v1/track/event",status=';
const refused = (reason: string, workspace = "shop") =>
  `tracklet_events_refused_total{reason="${reason}",workspace="${workspace}"}`;
const commits = (fast: string) => ({
  'tracklet_commit_seconds_bucket{le="1"}': fast,
  'tracklet_commit_seconds_bucket{le="2.5"}': "0+100x30",
  'tracklet_commit_seconds_bucket{le="+Inf"}': "0+100x30",
});
const SHOP = { workspace: "shop" };
const full = "the disk of the database is full, or will be within a day";
const disk = (values: string) => ({ 'tracklet_disk_free_bytes{folder="/data"}': values });

const retention = (values: string) => ({ 'tracklet_retention_behind_seconds{workspace="shop"}': values });
/** Nine hours, in each of which the value goes on from another one. */
const hours = (from: (hour: number) => number) =>
  Array.from({ length: 9 }, (_, hour) => `${from(hour)}+60x59`).join(" ");

const CASES: Case[] = [
  { alarm: "TrackletDown", series: { 'tracklet_events_waiting{instance="b"}': "0x30" }, at: 20 },
  {
    alarm: "TrackletDown",
    series: { 'tracklet_events_waiting{instance="a"}': "0x10 stale" },
    at: 20,
    says: "no unit of the service answers, or Prometheus may not ask it",
  },
  // As a database restarts.
  {
    alarm: "TrackletUnavailable",
    series: { [`${REQUESTS}"200"}`]: "0+60x30", [`${REQUESTS}"503"}`]: "0x9 60x20" },
    at: 12,
  },
  {
    alarm: "TrackletUnavailable",
    series: { [`${REQUESTS}"200"}`]: "0+60x30", [`${REQUESTS}"503"}`]: "0x9 60+60x20" },
    at: 20,
    says: "events are answered 503, 1 a second; the log says why, by fault",
  },
  {
    alarm: "TrackletEventsRefused",
    series: { [refused("body")]: "0+3x40", tracklet_commit_events_sum: "0+100x40" },
    at: 30,
  },
  // Before anything was stored at all.
  {
    alarm: "TrackletEventsRefused",
    series: { [refused("token", "")]: "0+3x40", tracklet_commit_events_sum: "0x40" },
    at: 30,
    labels: { reason: "token" },
    severity: "ticket",
    says: "45 events of the workspace  were refused in 15 minutes: token",
  },
  { alarm: "TrackletEventsFailed", series: { [refused("failed")]: "0x40" }, at: 30 },
  {
    alarm: "TrackletEventsFailed",
    series: { [refused("failed")]: "0x20 1x20" },
    at: 30,
    says: "events were answered 500: a mistake in the service, which the log names",
  },
  { alarm: "TrackletEventsWaiting", series: { tracklet_events_waiting: "900x9 1500 900x20" }, at: 11 },
  {
    alarm: "TrackletEventsWaiting",
    series: {
      'tracklet_events_waiting{instance="a"}': "900x20",
      'tracklet_events_waiting{instance="b"}': "0x9 600x20",
    },
    at: 20,
    says: "1500 events wait for the database",
  },
  { alarm: "TrackletCommitsSlow", series: commits("0+100x30"), at: 20 },
  {
    alarm: "TrackletCommitsSlow",
    series: commits("0+98x30"),
    at: 20,
    says: "of 100 transactions of events one takes 1.75s",
  },
  { alarm: "TrackletDisk", series: disk("50e9-1e6x400"), at: 390 },
  { alarm: "TrackletDisk", series: disk("50e9-50e6x400"), at: 390, labels: { folder: "/data" }, says: full },
  { alarm: "TrackletDisk", series: disk("9e8x30"), at: 20, labels: { folder: "/data" }, says: full },
  { alarm: "TrackletDisk", series: { [refused("disk")]: "0+5x30" }, at: 20, says: full },
  { alarm: "TrackletSumsBehind", series: { 'tracklet_sums_behind_seconds{workspace="shop"}': "0x9 400+60x9" }, at: 9 },
  {
    alarm: "TrackletSumsBehind",
    series: { 'tracklet_sums_behind_seconds{workspace="shop"}': "0x9 400+60x9" },
    at: 16,
    labels: SHOP,
    says: "the figures of the workspace shop are 12m 40s behind",
  },
  // Nine months were imported, and two days go each hour.
  {
    alarm: "TrackletRetentionBehind",
    series: retention(`0x9 ${hours((hour) => 23_328_000 - 172_800 * hour)}`),
    at: 400,
  },
  {
    alarm: "TrackletRetentionBehind",
    series: retention("0+60x9 100000+60x400"),
    at: 300,
    labels: SHOP,
    says: "events of the workspace shop are kept 1d 8h 36m 40s too long; the log says why",
  },
  { alarm: "TrackletDatabaseNew", series: { tracklet_database_age_seconds: "0+60x200" }, at: 150 },
  {
    alarm: "TrackletDatabaseNew",
    series: { tracklet_database_age_seconds: "90000+60x59 60+60x60" },
    at: 70,
    says: "the service has another database than before, made 11m 0s ago",
  },
  { alarm: "TrackletBackupOld", series: { tracklet_backup_age_seconds: "0+60x1440 0+60x300" }, at: 1_500 },
  {
    alarm: "TrackletBackupOld",
    series: { tracklet_backup_age_seconds: "130000+60x60" },
    at: 10,
    severity: "ticket",
    says: "the last backup is 1d 12h 16m 40s old",
  },
  { alarm: "TrackletBackupShort", series: { tracklet_backup_dropped_dumps: "0x30" }, at: 20 },
  {
    alarm: "TrackletBackupShort",
    series: { tracklet_backup_dropped_dumps: "3x30" },
    at: 20,
    severity: "ticket",
    says: "3 dumps of the last 14 days had no room on their disk",
  },
  { alarm: "TrackletBackupAnew", series: { tracklet_backup_anew_age_seconds: "86400+60x30" }, at: 20 },
  {
    alarm: "TrackletBackupAnew",
    series: { tracklet_backup_anew_age_seconds: "0+60x30" },
    at: 20,
    severity: "ticket",
    says: "a backup found no dump of those before 20m 0s ago",
  },
  { alarm: "TrackletArchiveOld", series: { 'tracklet_archive_age_seconds{workspace="shop"}': "0+60x1440" }, at: 1_400 },
  {
    alarm: "TrackletArchiveOld",
    series: { 'tracklet_archive_age_seconds{workspace="shop"}': "172800+60x30" },
    at: 10,
    labels: SHOP,
    severity: "ticket",
    says: "the archive of the workspace shop was run 2d 0h 10m 0s ago",
  },
  ...(["Contacts", "Names"] as const).flatMap((what): Case[] => {
    const [usual, many] = [`0+30x1440`, `0+30x1440 43200+120x60`];
    const name = what === "Contacts" ? "tracklet_new_contacts_total" : "tracklet_new_event_names_total";
    const words = what === "Contacts" ? "contacts a minute" : "names of events a minute";
    return [
      { alarm: `TrackletNew${what}`, series: { [name]: usual }, at: 1_480 },
      {
        alarm: `TrackletNew${what}`,
        series: { [name]: many },
        at: 1_490,
        severity: "ticket",
        says: `120 ${words} are new, three times as many as ever in the last week`,
      },
    ];
  }),
  { alarm: "TrackletWrongTokens", series: { 'tracklet_wrong_tokens_total{realm="records"}': "0+1x30" }, at: 20 },
  {
    alarm: "TrackletWrongTokens",
    series: { 'tracklet_wrong_tokens_total{realm="records"}': "0+20x30" },
    at: 20,
    labels: { realm: "records" },
    severity: "ticket",
    says: "300 requests had a wrong token for records in 15 minutes",
  },
  // By night, also where it ends; soon after the outage begins.
  ...[7 * 24 * 60 + 600, 8 * 24 * 60 - 30, NOON + 10].map((at) => ({
    alarm: "TrackletEventsStopped",
    series: AGES,
    at,
  })),
  {
    alarm: "TrackletEventsStopped",
    series: AGES,
    at: NOON + 60,
    labels: SHOP,
    says: "no event of the workspace shop for 1h 0m 0s",
  },
];

/** What promtool is to try: each series once, however many cases look at it. */
const testsOf = (interval: string, cases: Case[]) => ({
  rule_files: [RULES],
  evaluation_interval: interval,
  tests: [...new Set(cases.map(({ series }) => series))].map((series) => ({
    interval: "1m",
    input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
    alert_rule_test: cases
      .filter((one) => one.series === series)
      .map(({ alarm, at, labels, says, severity = "page" }) => ({
        eval_time: `${at}m`,
        alertname: alarm,
        exp_alerts:
          says === undefined
            ? []
            : [{ exp_labels: { severity, ...labels }, exp_annotations: { summary: says, runbook_url: linkOf(alarm) } }],
      })),
  })),
});

it.skipIf(promtool === undefined)(
  "the rules of Prometheus wake somebody where they are to, and nobody else",
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "tracklet-rules-"));
    const said = async (...args: string[]) => {
      const checked = launch(promtool!, args, { cwd: folder, env: process.env });
      const { code } = await checked.closed;
      return [code, checked.said()];
    };
    const isLong = ({ series, at }: Case) => series === AGES || at > 1_000;
    const files = [
      testsOf("5m", CASES.filter(isLong)),
      testsOf(
        "1m",
        CASES.filter((one) => !isLong(one)),
      ),
    ];
    const success = [0, expect.stringContaining("SUCCESS")];
    expect(await said("check", "rules", RULES)).toEqual(success);
    for (const tests of files) {
      await writeFile(join(folder, "tests.yaml"), JSON.stringify(tests));
      expect(await said("test", "rules", "tests.yaml")).toEqual(success);
    }
    await rm(folder, { recursive: true });
  },
  60_000,
);

it("has for each alarm a case in which it rings, and one in which it does not", () => {
  const told = (rings: boolean) =>
    new Set(CASES.filter(({ says }) => (says !== undefined) === rings).map((one) => one.alarm));
  expect([...told(true)].sort()).toEqual([...alarms].sort());
  expect(told(false)).toEqual(told(true));
});

it("has a heading of the runbook for each alarm, and each leads there", async () => {
  const runbook = await readFile(join(ROOT, "docs/service/runbook.md"), "utf8");
  expect([...runbook.matchAll(/^## (Tracklet\w+)$/gm)].map(([, name]) => name).sort()).toEqual([...alarms].sort());
  for (const { alert, annotations } of rules)
    if (alert !== undefined) expect(annotations!.runbook_url).toBe(linkOf(alert));
});

it("asks in its rules and on its board for what the service tells", async () => {
  const board = JSON.parse(await readFile(join(DEPLOY, "grafana-board.json"), "utf8")) as {
    panels: { targets: { expr: string }[] }[];
  };
  const shown = board.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
  const namesIn = (all: string[]) =>
    new Set(all.flatMap((expr) => expr.match(/\b(?:tracklet|process|node|pg)_\w+/g) ?? []));
  const service = await startService();
  const told = await service.metrics();
  await service.stop();
  const names = [...namesIn([...rules.map(({ expr }) => expr), ...shown])];
  expect(names.length).toBeGreaterThan(8);
  for (const name of names) {
    const [, base] = /^(.+?)(?:_bucket|_sum|_count)?$/.exec(name)!;
    expect(told).toMatch(RegExp(`^# TYPE (${name}|${base}) `, "m"));
  }
  // Each figure of an alarm is on the board.
  expect(namesIn(shown)).toEqual(new Set([...names]));
});
