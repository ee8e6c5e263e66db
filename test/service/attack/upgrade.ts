import { cpSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { ROOT } from "../../support/launch.js";
import { fillPlace } from "../bench/fill.js";
import { runAt } from "../support/database.js";
import { until } from "../support/service.js";
import { SERVICE } from "../support/service-process.js";
import { createTraffic, type Outcome, openScene } from "./scene.js";

const { version } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8"));
/** What a release leaves for the tests of later ones; `npm run release:keep` makes it. */
export const KEPT = join(ROOT, "test/upgrade", version);

/** Events between two steps. */
const BETWEEN = 150;

/** The next release: this build with more tables to make. @returns its entry */
const buildNext = (): string => {
  // The service finds its page from the root of what is built.
  const next = join(ROOT, "build/next/build/service");
  cpSync(join(ROOT, "build/service"), next, { recursive: true });
  cpSync(join(ROOT, "test/upgrade/next"), join(next, "migrations"), { recursive: true });
  return join(next, "main.js");
};

/**
 * A database that the last release has made gets the tables of the next one, under load and beside a report that takes long.
 * Processes of both run beside each other, one is killed, the last release comes back, and then the next one.
 *
 * @param events how many it holds
 */
export const upgrade = async (events: number): Promise<Outcome> => {
  const next = buildNext();
  const scene = await openScene();
  const { databaseUrl } = scene.place;
  const run = (...args: string[]) => scene.another({}, ...args);
  const start = async (entry: string) => {
    const service = run(entry);
    return { ...service, url: await service.ready() };
  };
  const restored = await run(SERVICE, "restore", join(KEPT, "database.dump")).closed;
  if (restored.code !== 0) throw new Error(`${restored.stderr}: npm run release:keep makes it anew`);
  await fillPlace({ databaseUrl, dataFolder: "" }, { events, contacts: 20_000, users: 0 });

  let last = await start(SERVICE);
  let urls = [last.url];
  let turn = 0;
  const url = (): string => urls[turn++ % urls.length]!;
  const traffic = createTraffic({ ...scene, url });
  const early = await run(next).closed;

  const report = new pg.Client(databaseUrl);
  await report.connect();
  await report.query("BEGIN; SELECT count(*) FROM events");
  const migrating = run(next, "migrate");
  await until(() => migrating.stderr().includes("somebody holds a lock") || undefined);
  await traffic.more(BETWEEN);
  await report.end();
  const began = performance.now();
  const migrated = await migrating.closed;
  const seconds = ((performance.now() - began) / 1_000).toFixed(1);

  let newer = await start(next);
  urls = [last.url, newer.url];
  await traffic.more(BETWEEN);
  await last.stop("SIGKILL");
  urls = [newer.url];
  await traffic.more(BETWEEN);
  for (const [stopped, entry] of [
    [newer, SERVICE],
    [undefined, next],
  ] as const) {
    const started = await start(entry);
    urls = [started.url];
    await (stopped ?? last).stop("SIGTERM");
    if (stopped === undefined) newer = started;
    else last = started;
    await traffic.more(BETWEEN);
  }
  await traffic.stop();
  const [row] = await runAt<{ rows: number; empty: number; valid: boolean }>(
    databaseUrl,
    `SELECT count(*)::int AS rows, (count(*) FILTER (WHERE weight IS NULL AND event_uid <> 'attack'))::int AS empty,
       (SELECT indisvalid FROM pg_index WHERE indexrelid = 'events_by_weight'::regclass) AS valid FROM events`,
  );
  const refused = /: this data is of an older build: tracklet-service migrate brings it up to date/;
  const isWrong =
    !refused.test(early.stderr) || migrated.code !== 0 || row!.empty > 0 || !row!.valid || row!.rows < events;
  const close = async (): Promise<void> => {
    await newer.stop("SIGTERM");
    await scene.close();
  };
  const note = `${row!.rows} events, tables changed in ${seconds} s`;
  return { scene: { ...scene, url, close }, traffic, note, isWrong };
};
