import { join } from "node:path";
import pg from "pg";
import type { Database } from "../../../demo/service/database.js";
import type { NewEvent } from "../../../demo/service/event.js";
import { newIds, newWriter } from "../../../demo/service/event-id.js";
import { insertEvents } from "../../../demo/service/event-rows.js";
import { openDatabase } from "../../../demo/service/open-database.js";
import { launch } from "../../support/launch.js";
import type { Place } from "../engines.js";
import { spawnService } from "../service-process.js";
import { BODIES, cpuSeconds, type Load, post } from "./load.js";

const ROUNDS = 5;
const SECONDS = 4;
/** Rows of a transaction that feeds the database alone: as many as there are connections. */
const BATCH = 64;

const EVENTS = BODIES.map((body): NewEvent => {
  const { contact_uid, event_uid, params } = JSON.parse(body);
  return {
    workspace: "default",
    contactUid: contact_uid,
    accountUid: params.account_uid,
    eventUid: event_uid,
    params: JSON.stringify(params),
    stamp: undefined,
    receivedAt: Date.now(),
    occurredAt: undefined,
  };
});

/** The floor of the database: batches one after another, prepared, and nothing beside them. Events a second. */
const feed = async (database: Database): Promise<number> => {
  const writer = newWriter();
  const began = performance.now();
  let fed = 0;
  for (; performance.now() - began < SECONDS * 1_000; fed += BATCH) {
    const from = fed % (EVENTS.length - BATCH);
    await database.write([insertEvents(newIds(writer, BATCH), EVENTS.slice(from, from + BATCH))]);
  }
  return (fed / (performance.now() - began)) * 1_000;
};

const besides = async (place: Place): Promise<Place> => {
  if (place.databaseUrl === undefined) return { ...place, dataFolder: join(place.dataFolder, "floor") };
  const client = new pg.Client(place.databaseUrl);
  await client.connect();
  await client.query("CREATE DATABASE floor");
  await client.end();
  return { ...place, databaseUrl: place.databaseUrl.replace(/[^/]+$/, "floor") };
};

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;

/** Events a second, and microseconds of the processor that each took in the processes of interest. */
interface Measured extends Load {
  server: number;
  database: number;
  client: number;
}

const measure = async (url: string, pid: number, databasePid: number | undefined): Promise<Measured> => {
  const times = () => [
    cpuSeconds(pid),
    cpuSeconds(databasePid ?? 0),
    process.cpuUsage().user + process.cpuUsage().system,
  ];
  const before = times();
  const load = await post(url, SECONDS);
  const after = times();
  const perEvent = (index: number, unit: number) =>
    ((after[index]! - before[index]!) * unit) / (load.perSecond * SECONDS);
  return { ...load, server: perEvent(0, 1e6), database: perEvent(1, 1e6), client: perEvent(2, 1) };
};

/**
 * Events a second that the service stores for 64 clients, as a ratio to the lower of two floors in the same round: bare
 * Fastify on the same route, and the database fed with batches of 64 rows.
 */
export const throughput = async (engine: string, place: Place, databasePid?: number): Promise<void> => {
  const floor = await openDatabase({ ...(await besides(place)), seed: false });
  const service = spawnService({
    TRACKLET_RATE_LIMIT: "0",
    ...(place.databaseUrl === undefined ? { TRACKLET_DATA: place.dataFolder } : { DATABASE_URL: place.databaseUrl }),
  });
  const bare = launch(process.execPath, ["--import", "tsx", "test/service/bench/bare-http.ts"]);
  const url = await service.ready();
  const bareUrl = (await bare.says(/ready at (\S+)/))[1]!;
  for (const warm of [url, bareUrl]) await post(warm, 2);

  const rounds: { fed: number; http: Measured; stored: Measured; ratio: number }[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const fed = await feed(floor);
    const http = await measure(bareUrl, bare.process.pid!, undefined);
    const stored = await measure(url, service.child.pid!, databasePid);
    rounds.push({ fed, http, stored, ratio: stored.perSecond / Math.min(fed, http.perSecond) });
  }
  await Promise.all([bare.end(), service.stop("SIGTERM"), floor.close()]);

  const middle = (value: (round: (typeof rounds)[number]) => number) => Math.round(median(rounds.map(value)));
  const ratios = rounds.map(({ ratio }) => ratio);
  console.log(`\n${engine}: events a second with 64 clients, medians of ${ROUNDS} rounds`);
  console.table({
    "database alone, 64 rows a batch": { "events/s": middle(({ fed }) => fed) },
    "bare Fastify": figures(({ http }) => http, middle),
    service: figures(({ stored }) => stored, middle),
  });
  const [least, most] = [Math.min(...ratios), Math.max(...ratios)].map((ratio) => ratio.toFixed(2));
  console.log(`service to the lower floor: ${median(ratios).toFixed(2)} (${least} to ${most}), target 0.7`);
};

const figures = <Round>(of: (round: Round) => Measured, middle: (value: (round: Round) => number) => number) => ({
  "events/s": middle((round) => of(round).perSecond),
  "p50 ms": middle((round) => of(round).p50),
  "p99 ms": middle((round) => of(round).p99),
  "µs of CPU an event": middle((round) => of(round).server),
  "of the database": middle((round) => of(round).database),
  "of the clients": middle((round) => of(round).client),
});
