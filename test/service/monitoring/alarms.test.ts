import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { findProgram } from "../../support/engines.js";
import { launch, ROOT } from "../../support/launch.js";
import { useFolder } from "../support/fixtures.js";
import { startService } from "../support/service.js";

const DEPLOY = join(ROOT, "src/service/deploy");
const RULES = join(DEPLOY, "prometheus-rules.yaml");
const promtool = findProgram("promtool");
const folder = useFolder();

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

/** An event each minute by day, none for ten hours by night, for eight days; then none from the noon of the last day on. */
const DAYS = `${"0x839 0+60x599 ".repeat(8)}0x239 0+60x400`;
const NOON = 8 * 24 * 60 + 240;
// Nothing comes to a second unit.
const AGES = `event_age_seconds{event_uid="",workspace="shop",instance="a"} ${DAYS}; event_age_seconds{event_uid="",workspace="shop",instance="b"} 100000+60x${NOON + 400}`;
const ANSWERS = 'http_request_seconds_count{method="POST",route="/v1/track/event",status=';
const COMMITS =
  'commit_seconds_bucket{le="2.5"} 0+100x30; commit_seconds_bucket{le="+Inf"} 0+100x30; commit_seconds_bucket{le="1"}';
/** Nine months were imported, and two days go each hour. */
const FALLING = Array.from({ length: 9 }, (_, hour) => `${23_328_000 - 172_800 * hour}+60x59`).join(" ");
const FULL = "the disk of the database is full, or will be within a day";
const RISEN = "are new, three times as many as ever in the last week";
const TICKETS =
  "EventsRefused DaysStale ClockPutRight BackupOld BackupShort BackupAnew ArchiveOld NewContacts NewNames WrongTokens".split(
    " ",
  );

/** An alarm, at which minute it is looked at, series of a minute's interval, and where it rings what it says, and with which label. */
const CASES = `
Down | 20 | events_waiting{instance="b"} 0x30
Down | 20 | events_waiting{instance="a"} 0x10 stale | no unit of the service answers, or Prometheus may not ask it
Unavailable | 12 | ${ANSWERS}"200"} 0+60x30; ${ANSWERS}"503"} 0x9 60x20
Unavailable | 20 | ${ANSWERS}"200"} 0+60x30; ${ANSWERS}"503"} 0x9 60+60x20 | events are answered 503, 1 a second; the log says why, by fault
EventsRefused | 30 | events_refused_total{reason="body",workspace="shop"} 0+3x40; commit_events_sum 0+100x40
EventsRefused | 30 | events_refused_total{reason="token",workspace=""} 0+3x40; commit_events_sum 0x40 | 45 events of the workspace  were refused in 15 minutes: token | reason=token
EventsFailed | 30 | events_refused_total{reason="failed",workspace="shop"} 0x40
EventsFailed | 30 | events_refused_total{reason="failed",workspace="shop"} 0x20 1x20 | events were answered 500: a mistake in the service, which the log names
EventsWaiting | 11 | events_waiting 900x9 1500 900x20
EventsWaiting | 20 | events_waiting{instance="a"} 900x20; events_waiting{instance="b"} 0x9 600x20 | 1500 events wait for the database
CommitsSlow | 20 | ${COMMITS} 0+100x30
CommitsSlow | 20 | ${COMMITS} 0+98x30 | of 100 transactions of events one takes 1.75s
Disk | 390 | disk_free_bytes{folder="/data"} 50e9-1e6x400
Disk | 390 | disk_free_bytes{folder="/data"} 50e9-50e6x400 | ${FULL} | folder=/data
Disk | 20 | disk_free_bytes{folder="/data"} 9e8x30 | ${FULL} | folder=/data
Disk | 20 | events_refused_total{reason="disk",workspace="shop"} 0+5x30 | ${FULL}
SumsBehind | 9 | sums_behind_seconds{workspace="shop"} 0x9 400+60x9
SumsBehind | 16 | sums_behind_seconds{workspace="shop"} 0x9 400+60x9 | the figures of the workspace shop are 12m 40s behind | workspace=shop
DaysStale | 200 | stale_days{workspace="shop"} 0x9 90-0.25x240
DaysStale | 200 | stale_days{workspace="shop"} 0x9 3x240 | 3 days of the workspace shop are to be counted anew, and get no fewer; the log says why | workspace=shop
ClockPutRight | 20 | clock_put_right_age_seconds 86400+60x30
ClockPutRight | 20 | clock_put_right_age_seconds 0+60x30 | a clock of the database was ahead, and was put right 20m 0s ago
RetentionBehind | 400 | retention_behind_seconds{workspace="shop"} 0x9 ${FALLING}
RetentionBehind | 300 | retention_behind_seconds{workspace="shop"} 0+60x9 100000+60x400 | events of the workspace shop are kept 1d 8h 36m 40s too long; the log says why | workspace=shop
DatabaseNew | 150 | database_age_seconds 0+60x200
DatabaseNew | 70 | database_age_seconds 90000+60x59 60+60x60 | the service has another database than before, made 11m 0s ago
BackupOld | 1500 | backup_age_seconds 0+60x1440 0+60x300
BackupOld | 10 | backup_age_seconds 130000+60x60 | the last backup is 1d 12h 16m 40s old
BackupShort | 20 | backup_dropped_dumps 0x30
BackupShort | 20 | backup_dropped_dumps 3x30 | 3 dumps of the last 14 days had no room on their disk
BackupAnew | 20 | backup_anew_age_seconds 86400+60x30
BackupAnew | 20 | backup_anew_age_seconds 0+60x30 | a backup found no dump of those before 20m 0s ago
ArchiveOld | 1400 | archive_age_seconds{workspace="shop"} 0+60x1440
ArchiveOld | 10 | archive_age_seconds{workspace="shop"} 172800+60x30 | the archive of the workspace shop was run 2d 0h 10m 0s ago | workspace=shop
NewContacts | 1480 | new_contacts_total 0+30x1440
NewContacts | 1490 | new_contacts_total 0+30x1440 43200+120x60 | 120 contacts a minute ${RISEN}
NewNames | 1480 | new_event_names_total 0+30x1440
NewNames | 1490 | new_event_names_total 0+30x1440 43200+120x60 | 120 names of events a minute ${RISEN}
WrongTokens | 20 | wrong_tokens_total{realm="records"} 0+1x30
WrongTokens | 20 | wrong_tokens_total{realm="records"} 0+20x30 | 300 requests had a wrong token for records in 15 minutes | realm=records
EventsStopped | ${7 * 24 * 60 + 600} | ${AGES}
EventsStopped | ${8 * 24 * 60 - 30} | ${AGES}
EventsStopped | ${NOON + 10} | ${AGES}
EventsStopped | ${NOON + 60} | ${AGES} | no event of the workspace shop for 1h 0m 0s | workspace=shop`
  .trim()
  .split("\n")
  .map((line) => {
    const [name, at, series, says, label] = line.split(" | ") as [string, string, string, string?, string?];
    return { name, alarm: `Tracklet${name}`, at: Number(at), series, says, labels: label && [label.split("=")] };
  });
type Case = (typeof CASES)[number];

/** What promtool is to try: each series once, however many cases look at it. */
const testsOf = (interval: string, cases: Case[]) => ({
  rule_files: [RULES],
  evaluation_interval: interval,
  tests: [...new Set(cases.map(({ series }) => series))].map((series) => ({
    interval: "1m",
    input_series: series.split("; ").map((one) => {
      const [, name, values] = /^(\S+) (.+)$/.exec(one)!;
      return { series: `tracklet_${name}`, values };
    }),
    alert_rule_test: cases
      .filter((one) => one.series === series)
      .map(({ name, alarm, at, says, labels }) => {
        const severity = TICKETS.includes(name) ? "ticket" : "page";
        const exp_labels = { severity, ...Object.fromEntries(labels || []) };
        const exp_annotations = { summary: says, runbook_url: linkOf(alarm) };
        return { eval_time: `${at}m`, alertname: alarm, exp_alerts: says ? [{ exp_labels, exp_annotations }] : [] };
      }),
  })),
});

it.skipIf(promtool === undefined)(
  "the rules of Prometheus wake somebody where they are to, and nobody else",
  async () => {
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
