import { cpSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { expect, it } from "vitest";
import { version } from "../../../package.json";
import { ROOT } from "../../support/launch.js";
import { fillPlace } from "../bench/fill.js";
import { useServer } from "../support/fixtures.js";
import { until } from "../support/service.js";
import { SERVICE, spawnService } from "../support/service-process.js";
import { createTraffic } from "./traffic.js";

/** More than a start changes the tables of. `npm run attack -- upgrade` takes a million. */
const EVENTS = process.env.MODE === "attack" ? 1_000_000 : 100_500;
/** Events between two steps. */
const BETWEEN = 150;

const place = useServer();

/** The next release: this build with more tables to make. @returns its entry */
const buildNext = (): string => {
  // The service finds its page from the root of what is built.
  const next = join(ROOT, "build/next/build/service");
  cpSync(join(ROOT, "build/service"), next, { recursive: true });
  cpSync(join(ROOT, "test/upgrade/next"), join(next, "migrations"), { recursive: true });
  return join(next, "main.js");
};

it("changes the tables under load, to the next release and back, and no event is lost, stored twice or answered 5xx", async () => {
  const next = buildNext();
  const run = (...args: string[]) => spawnService({ DATABASE_URL: place.databaseUrl }, args);
  let urls: string[] = [];
  /** Starts one that takes the place of another, which ends. */
  const start = async (entry: string, former?: ReturnType<typeof run>) => {
    const service = run(entry);
    urls = [await service.ready()];
    await former?.stop("SIGTERM");
    return service;
  };
  // `npm run release:keep` makes it.
  const kept = join(ROOT, "test/upgrade", version, "database.dump");
  expect(await run(SERVICE, "restore", kept).closed).toMatchObject({ code: 0 });
  await fillPlace(place, { events: EVENTS, contacts: 20_000, users: 0 });

  let last = await start(SERVICE);
  let turn = 0;
  const traffic = createTraffic(place, () => urls[turn++ % urls.length]!);
  expect((await run(next).closed).stderr).toMatch(
    /: this data is of an older build: tracklet-service migrate brings it up to date/,
  );
  // Beside a report that takes long.
  const report = new pg.Client(place.databaseUrl);
  await report.connect();
  await report.query("BEGIN; SELECT count(*) FROM events");
  const migrating = run(next, "migrate");
  await until(() => migrating.stderr().includes("somebody holds a lock"));
  await traffic.more(BETWEEN);
  await report.query("COMMIT");
  expect(await migrating.closed).toMatchObject({ code: 0 });

  // Both run beside each other, one is killed, the last release comes back, and then the next one.
  const [lastUrl] = urls;
  let newer = await start(next);
  urls.push(lastUrl!);
  await traffic.more(BETWEEN);
  urls.pop();
  await last.stop("SIGKILL");
  await traffic.more(BETWEEN);
  last = await start(SERVICE, newer);
  await traffic.more(BETWEEN);
  newer = await start(next, last);
  await traffic.more(BETWEEN);
  // Those that were under way to the one that was killed.
  expect((await traffic.stop()).filter((answer) => answer !== "none")).toEqual([]);
  const { rows } = await report.query(
    `SELECT (count(*) FILTER (WHERE weight IS NULL AND event_uid <> 'attack'))::int AS empty, count(*) >= ${EVENTS} AS all,
       (SELECT indisvalid FROM pg_index WHERE indexrelid = 'events_by_weight'::regclass) AS valid FROM events`,
  );
  expect(rows).toEqual([{ empty: 0, all: true, valid: true }]);
  await report.end();
  await newer.stop("SIGTERM");
}, 600_000);
