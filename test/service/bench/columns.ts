import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import pg from "pg";
import { openDatabase } from "../../../src/service/database/open-database.js";
import type { Place } from "../support/places.js";
import { spawnService } from "../support/service-process.js";
import { duckOver, POSTGRES, questionsIn } from "./dialects.js";
import { fillPlace, urlOf } from "./fill.js";

/** Millions of events; `COLUMNS_MILLIONS=10` asks a larger database. */
const EVENTS = Number(process.env.COLUMNS_MILLIONS ?? 1) * 1_000_000;
const ASKED = 3;
/** A question that takes longer is asked once. */
const SLOW_MS = 5_000;

type Ask = (sql: string) => Promise<string[]>;

/** The best of some, and the answer. */
const time = async (ask: Ask, sql: string): Promise<{ ms: number; answer: string }> => {
  const times: number[] = [];
  let rows: string[] = [];
  while (times.length < ASKED && (times[0] ?? 0) < SLOW_MS) {
    const from = performance.now();
    rows = await ask(sql);
    times.push(performance.now() - from);
  }
  return { ms: Math.min(...times), answer: rows.sort().join("\n") };
};

/** The most memory that a process has had so far, in megabytes, and its seconds of a core; nothing where the system does not tell. */
const costsOf = async (pid: number): Promise<{ memory: number; seconds: number } | undefined> => {
  const read = (name: string) => readFile(`/proc/${pid}/${name}`, "utf8").catch(() => "");
  const [, kilobytes] = /^VmHWM:\s+(\d+)/m.exec(await read("status")) ?? [];
  // In hundredths of a second, behind the name (proc(5)).
  const ticks = (await read("stat")).split(") ").at(-1)!.split(" ").slice(11, 13);
  if (kilobytes === undefined || ticks.length < 2) return undefined;
  return { memory: Math.round(Number(kilobytes) / 1_000), seconds: (Number(ticks[0]) + Number(ticks[1])) / 100 };
};

/** Puts all events into files, by the command. */
const archiveAll = async (place: Place, folder: string): Promise<void> => {
  const from = performance.now();
  const environment: Record<string, string> =
    place.databaseUrl === undefined ? { TRACKLET_DATA: place.dataFolder } : { DATABASE_URL: place.databaseUrl };
  const { child, closed } = spawnService(environment, ["build/service/main.js", "archive", folder, "--now"]);
  let costs: Awaited<ReturnType<typeof costsOf>>;
  const looking = setInterval(async () => {
    costs = (await costsOf(child.pid!)) ?? costs;
  }, 100);
  const { code, stderr } = await closed;
  clearInterval(looking);
  if (code !== 0) throw new Error(stderr);
  const seconds = (performance.now() - from) / 1_000;
  let bytes = 0;
  for (const name of await readdir(folder, { recursive: true }))
    if (name.endsWith(".parquet")) bytes += (await stat(join(folder, name))).size;
  console.table({
    "events a second": Math.round(EVENTS / seconds),
    "bytes an event": Math.round((bytes / EVENTS) * 10) / 10,
    "microseconds of a core an event": Math.round(((costs?.seconds ?? 0) * 1_000_000) / EVENTS),
    "megabytes of memory": costs?.memory,
  });
};

/** What the files of an archive cost, and how long questions take over them and in the database without its sums: both answer the same. */
export const columns = async (engine: string, place: Place): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), "tracklet-columns-"));
  await fillPlace(place, { events: EVENTS, contacts: EVENTS / 20, users: 1, days: 30 });
  const database = await openDatabase(place);
  await database.query("INSERT INTO workspaces (name, created_at) VALUES ('default', 1) ON CONFLICT DO NOTHING");
  console.log(`\n${engine}: ${EVENTS} events in files`);
  await archiveAll(place, folder);

  const client = new pg.Client(urlOf(place));
  await client.connect();
  const connection = await (await DuckDBInstance.create()).connect();
  // Numbers may come as text.
  const texts = (rows: unknown[][]) => rows.map((row) => row.map(String).join("\t"));
  const rowsOf: Ask = async (sql) => texts((await client.query<unknown[]>({ text: sql, rowMode: "array" })).rows);
  const inFiles: Ask = async (sql) => texts((await connection.runAndReadAll(sql)).getRows());
  // Days as both tell them.
  pg.types.setTypeParser(1082, (day) => day);
  const now = Date.now();
  const [inRows, overFiles] = [questionsIn(POSTGRES, now), questionsIn(duckOver(folder), now)];
  const table: Record<string, object> = {};
  const sum = { rows: 0, columns: 0 };
  for (const [question, sql] of Object.entries(inRows)) {
    const rows = await time(rowsOf, sql);
    const files = await time(inFiles, overFiles[question]!);
    if (rows.answer !== files.answer) throw new Error(`${question} is answered otherwise by files`);
    sum.rows += rows.ms;
    sum.columns += files.ms;
    table[question] = shown(rows.ms, files.ms);
  }
  table["all of them"] = shown(sum.rows, sum.columns);
  console.table(table);
  connection.closeSync();
  await client.end();
  await database.close();
  await rm(folder, { recursive: true });
};

const shown = (rows: number, columns: number) => ({
  "rows, ms": Math.round(rows),
  "columns, ms": Math.round(columns),
  ratio: Number((columns / rows).toPrecision(2)),
});
