import { type Command, InvalidArgumentError, Option } from "commander";
import { listWorkspaces } from "../access/tokens.js";
import { encodeText } from "../base/exact-text.js";
import { StartError } from "../base/start-error.js";
import { DAY_MS } from "../base/times.js";
import type { Query } from "../database/database.js";
import { freeBytes } from "../database/embedded/disk-space.js";
import { type Bounds, createSettled } from "../database/event-id.js";
import { isServed } from "../database/postgres/open-postgres.js";
import { type Behind, createBehind } from "../days/lag.js";
import { tellLate } from "../deletion/retention.js";
import { readUpkeep } from "../monitoring/metrics.js";
import { ofName } from "../records/read-rows.js";
import type { Commands } from "./context.js";

interface Expected {
  name: string;
  /** As it was given, such as `24h`. */
  span: string;
  ms: number;
}

const UNITS: Record<string, number> = { m: 60_000, h: 3_600_000, d: DAY_MS };
const ANY = "*";

/** Seconds from when on an alarm would ring; see prometheus-rules.yaml. */
const [SUMS, SETTLED, WAITING, BACKUP, ARCHIVE, DAY] = [300, 300, 60, 129_600, 172_800, 86_400];
const DISK = 1e9;

/** What is so, and whether an alarm would ring. */
type Line = [text: string, isWrong?: boolean];

/** The command for who has no alarms, or wants to see all at one glance: fails where one would ring, or an event has stopped. */
export const addCheckCommand = ({ program, config, workspace, read, write, bounds }: Commands): Command =>
  program
    .command("check")
    .description(
      "tells on one screen how the service is, and fails where none runs, an alarm would ring, or an event has stopped; for cron, too",
    )
    .addOption(
      new Option("--expect <name:time...>", "as signed_up:24h, with m, h or d; the name * means any event").argParser(
        (value: string, before: Expected[] = []) => [...before, readExpected(value)],
      ),
    )
    .addOption(workspace())
    .action(({ expect = [], workspace }: { expect?: Expected[]; workspace: string }) =>
      read(async (query, { folder }) => {
        const lines: Line[] = [];
        for await (const line of look(query, { folder, days: config.retentionDays, bounds })) lines.push(line);
        for (const one of expect) lines.push(await ofExpected(query, workspace, one));
        write(lines.map(([text, isWrong]) => `${isWrong ? "WRONG" : "ok   "}  ${text}\n`));
        const wrong = lines.filter(([, isWrong]) => isWrong).map(([text]) => text);
        if (wrong.length > 0) throw new StartError(wrong.join("\n"));
      }),
    );

/** Seconds, as people say them. */
const span = (seconds: number): string => {
  if (seconds < 120) return `${Math.round(seconds)} s`;
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.round(seconds / 3_600)} h` : `${Math.floor(seconds / 86_400)} days`;
};

/** @param what is asked for, and may not be known */
const known = (what: string, line: Promise<Line>): Promise<Line> =>
  line.catch((error: Error) => [`${what} is not known: ${error.message}`, true]);

/** Looks at one after another. @param kept the data folder of a PostgreSQL of its own, and the days of retention, if any */
async function* look(
  query: Query,
  { folder, days, bounds }: { folder: string | undefined; days: number | undefined; bounds: Bounds },
): AsyncGenerator<Line> {
  const [names, upkeep, settled] = [await listWorkspaces(query), await readUpkeep(query), createSettled(query, bounds)];
  const workspaces = () => names;
  yield (await isServed(query)) ? ["a service runs"] : ["no service runs", true];
  const { database_age_seconds: made = 0, clock_put_right_age_seconds: clock } = upkeep.told;
  const age = span(made);
  yield made < DAY
    ? [`the database is new, made ${age} ago: is it the one that you mean? If so, this goes within a day`, true]
    : [`the database is ${age} old`];
  const times = await Promise.all(names.map((name) => lastOf(query, name, ANY)));
  const last = Math.max(0, ...times.map((at) => at ?? 0));
  yield [last === 0 ? "no event has come yet" : `the last event came ${span((Date.now() - last) / 1_000)} ago`];
  const [row] = await query<{ waiting: number; open: number }>(
    `SELECT count(*) FILTER (WHERE wait_event_type = 'Lock') AS waiting, coalesce(extract(epoch FROM max(now() - xact_start)), 0) AS open
     FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()`,
  );
  const { waiting, open } = row!;
  yield [
    `${waiting} statements wait for a lock, the oldest transaction is open for ${span(open)}`,
    waiting > 0 && open > WAITING,
  ];
  const behind = settled().then((at): Line => {
    const seconds = Math.max(0, Date.now() - at) / 1_000;
    return [`all that was stored up to ${span(seconds)} ago is settled`, seconds > SETTLED];
  });
  yield await known("what is settled", behind);
  yield await known("how far the figures are", createBehind({ query }, { workspaces, settled })().then(ofSums));
  const late = days === undefined ? undefined : await tellLate(query, { days, workspaces });
  if (late !== undefined) yield [late, true];
  else if (days !== undefined) yield [`events are kept for ${days} days`];
  else yield ["events are kept for ever: TRACKLET_RETENTION_DAYS is not set"];
  if (clock !== undefined) {
    const ago = `a clock of the database was ahead, and was put right ${span(clock)} ago`;
    yield [`${ago}: who follows events was told to go back`, clock < DAY];
  }
  const { backup_age_seconds: backup, backup_dropped_dumps: dropped = 0, backup_anew_age_seconds: anew } = upkeep.told;
  const { drill, failedDrill } = upkeep;
  const tried = drill === undefined ? "no `--drill` has tried it" : `\`--drill\` has tried one ${span(drill)} ago`;
  const few = dropped > 0 ? `, which had no room for ${dropped} dumps of the last days` : "";
  if (backup === undefined) yield ["`backup` was never run here"];
  else yield [`the last backup is ${span(backup)} old${few}; ${tried}`, backup > BACKUP || dropped > 0];
  if (backup !== undefined && anew !== undefined && anew < DAY)
    yield [`a backup found no dump of those before ${span(anew)} ago: is its disk mounted?`, true];
  if (failedDrill !== undefined && failedDrill < (drill ?? Number.POSITIVE_INFINITY))
    yield [`the last \`--drill\` failed ${span(failedDrill)} ago, and none went well since`, true];
  for (const { workspace, seconds } of upkeep.archives)
    yield [`the archive of ${workspace} was run ${span(seconds)} ago`, seconds > ARCHIVE];
  if (folder === undefined) return;
  const free = freeBytes(folder);
  yield [`${(free / 1e9).toFixed(1)} GB are free on the disk of ${folder}`, free < DISK];
}

const ofSums = (told: Awaited<ReturnType<Behind>>): Line => {
  const seconds = Math.max(0, ...told.map((one) => one.seconds));
  const days = told.reduce((sum, one) => sum + one.days, 0);
  const anew = days === 0 ? "" : `, and ${days} days are still to be counted anew`;
  return [`the figures are ${span(seconds)} behind${anew}`, seconds > SUMS];
};

const ofExpected = async (query: Query, workspace: string, { name, span, ms }: Expected): Promise<Line> => {
  const at = await lastOf(query, workspace, name);
  if (at !== undefined && Date.now() - at <= ms) return [`the event ${JSON.stringify(name)} has come in time`];
  const last = at === undefined ? "there was none" : `the last one came at ${new Date(at).toISOString()}`;
  return [`no event ${JSON.stringify(name)} for ${span}, ${last}`, true];
};

const readExpected = (value: string): Expected => {
  const [, name, amount, unit] = /^(.+):([1-9]\d{0,4})([mhd])$/.exec(value) ?? [];
  if (name === undefined) throw new InvalidArgumentError("It must be a name and a time, such as signed_up:24h");
  return { name, span: `${amount} ${unit}`, ms: Number(amount) * UNITS[unit!]! };
};

/** When the last event of a name came, in epoch milliseconds; what was imported has come before. */
const lastOf = async (query: Query, workspace: string, name: string): Promise<number | undefined> => {
  const [row] = await query<{ received_at: number }>(
    `SELECT received_at FROM events WHERE workspace = $1 AND origin_id IS NULL${
      name === ANY ? "" : ` AND ${ofName("$2")}`
    } ORDER BY id DESC LIMIT 1`,
    name === ANY ? [workspace] : [workspace, encodeText(name)],
  );
  return row?.received_at;
};
