import { availableParallelism } from "node:os";
import pg from "pg";
import { viewOf } from "../../../src/service/base/params.js";
import type { Database } from "../../../src/service/database/database.js";
import { readServerFile } from "../../../src/service/database/embedded/folder.js";
import { newIds } from "../../../src/service/database/event-id.js";
import { openDatabase } from "../../../src/service/database/open-database.js";
import { insertEvents, type NewEvent } from "../../../src/service/ingest/store/rows.js";
import { launch } from "../../support/launch.js";
import { median } from "../../support/median.js";
import { cpuSeconds, machineSeconds } from "../../support/processor-time.js";
import type { Place } from "../support/places.js";
import { type Load, nextEvent, paramsOf, post } from "./load.js";
import { spawnOver } from "./spawn-over.js";

const ROUNDS = 5;
const SECONDS = 4;
/** Rows of a transaction that feeds the database alone: as many as there are connections. */
const BATCH = 64;

const nextRow = (): NewEvent => {
  const event = nextEvent();
  const { contact_uid, event_uid, params } = event;
  return {
    workspace: "default",
    contactUid: contact_uid,
    accountUid: params.account_uid,
    eventUid: event_uid,
    ...paramsOf(event),
    ...viewOf(event_uid, params),
    receivedAt: Date.now(),
  };
};

/** The floor of the database: batches one after another, prepared, and nothing beside them. */
const feed = async (database: Database): Promise<Pick<Load, "perSecond">> => {
  const began = performance.now();
  let fed = 0;
  for (; performance.now() - began < SECONDS * 1_000; fed += BATCH) {
    await database.write(insertEvents(newIds(BATCH), Array.from({ length: BATCH }, nextRow)));
  }
  return { perSecond: (fed / (performance.now() - began)) * 1_000 };
};

const besides = async (place: Place): Promise<Place> => {
  if (place.databaseUrl === undefined) return { ...place, dataFolder: `${place.dataFolder}-floor` };
  const client = new pg.Client(place.databaseUrl);
  await client.connect();
  await client.query("CREATE DATABASE floor");
  await client.end();
  return { ...place, databaseUrl: place.databaseUrl.replace(/[^/]+$/, "floor") };
};

/** Bytes that a server has written to its log so far, and events of all its databases. */
const written = async ({ databaseUrl }: Place): Promise<{ bytes: number; events: number } | undefined> => {
  if (databaseUrl === undefined) return undefined;
  const sum = { bytes: 0, events: 0 };
  for (const url of [databaseUrl, databaseUrl.replace(/[^/]+$/, "floor")]) {
    const client = new pg.Client(url);
    await client.connect();
    const { rows } = await client.query<{ bytes: string; events: string }>(
      "SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') AS bytes, (SELECT count(*) FROM events) AS events",
    );
    await client.end();
    sum.bytes = Number(rows[0]!.bytes);
    sum.events += Number(rows[0]!.events);
  }
  return sum;
};

/** Microseconds of the processor that an event took: in each of some processes, and in this one. */
interface Costs {
  of: number[];
  here: number;
  /** Processors that were busy, with whatever, that waited for a disk, and that had nothing to do. */
  cores: { busy: number; disk: number; idle: number };
}

const measure = async <Result extends { perSecond: number }>(
  pids: number[],
  work: () => Promise<Result>,
): Promise<Result & Costs> => {
  const times = () => [
    ...pids.map((pid) => cpuSeconds(pid) * 1e6),
    process.cpuUsage().user + process.cpuUsage().system,
  ];
  const [began, before, machine] = [performance.now(), times(), machineSeconds()];
  const result = await work();
  const costs = times().map((time, index) => (time - before[index]!) / (result.perSecond * SECONDS));
  const [after, seconds] = [machineSeconds(), (performance.now() - began) / 1_000];
  const of = (kind: keyof typeof after) => (after[kind] - machine[kind]) / seconds;
  const cores = { busy: of("busy"), disk: of("disk"), idle: of("idle") };
  return { ...result, of: costs.slice(0, -1), here: costs.at(-1)!, cores };
};

/** What the processors do: the parts are measured each for itself, and their sum is all processors where nothing is forgotten. */
const shares = (rounds: (Load & Costs)[]): Record<string, number> => {
  const mean = (value: (one: Load & Costs) => number) =>
    Number((rounds.reduce((sum, one) => sum + value(one), 0) / rounds.length).toFixed(2));
  const used = (one: Load & Costs) => [...one.of, one.here].map((cost) => (cost * one.perSecond) / 1e6);
  return {
    service: mean((one) => used(one)[0]!),
    database: mean((one) => used(one)[1]!),
    clients: mean((one) => used(one)[2]!),
    "kernel and others": mean((one) => one.cores.busy - used(one).reduce((sum, part) => sum + part, 0)),
    "waiting for the disk": mean(({ cores }) => cores.disk),
    idle: mean(({ cores }) => cores.idle),
  };
};

/**
 * Events a second that the service stores for 64 clients, as a ratio to the lower of two floors in the same round: bare
 * Fastify on the same route, and the database fed with batches of 64 rows.
 *
 * Each floor has the processors to itself, the service shares them with its clients and its database. So beside it stands
 * what these processors give for the work of both floors together.
 */
export const throughput = async (engine: string, place: Place, givenPid?: number): Promise<void> => {
  const beside = await besides(place);
  const floor = await openDatabase(beside);
  const service = spawnOver(place, { TRACKLET_PROCESSES: process.env.TRACKLET_PROCESSES ?? "1" });
  const bare = launch(process.execPath, ["--import", "tsx", "test/service/bench/bare-http.ts"]);
  const url = await service.ready();
  const bareUrl = (await bare.says(/ready at (\S+)/))[1]!;
  for (const warm of [url, bareUrl]) await post(warm, 2);
  const pidOf = ({ dataFolder }: Place): number => givenPid ?? readServerFile(`${dataFolder}/cluster`)!.pid;
  const [databasePid, floorPid] = [pidOf(place), pidOf(beside)];

  const round = async () => {
    const fed = await measure([0, floorPid], () => feed(floor));
    const http = await measure([bare.process.pid!, 0], () => post(bareUrl, SECONDS));
    const stored = await measure([service.child.pid!, databasePid], () => post(url, SECONDS));
    // A server of its own is among the processes that it has started.
    if (givenPid === undefined) stored.of[0]! -= stored.of[1]!;
    const together = (availableParallelism() * 1e6) / (http.of[0]! + http.here + fed.of[1]! + fed.here);
    const lower = Math.min(fed.perSecond, http.perSecond);
    return { fed, http, stored, together, ratio: stored.perSecond / lower, reached: stored.perSecond / together };
  };
  const rounds: Awaited<ReturnType<typeof round>>[] = [];
  const before = await written(place);
  for (let number = 0; number < ROUNDS; number += 1) rounds.push(await round());
  const after = await written(place);
  await Promise.all([bare.end(), service.stop("SIGTERM"), floor.close()]);

  type Round = (typeof rounds)[number];
  const middle = (value: (round: Round) => number) => Math.round(median(rounds.map(value)));
  const figures = (of: (round: Round) => Load & Costs) => ({
    "events/s": middle((one) => of(one).perSecond),
    "p50 ms": middle((one) => of(one).p50),
    "p99 ms": middle((one) => of(one).p99),
    "µs an event: server": middle((one) => of(one).of[0]!),
    database: middle((one) => of(one).of[1]!),
    clients: middle((one) => of(one).here),
  });
  const span = (value: (round: Round) => number) => {
    const all = rounds.map(value);
    return `${median(all).toFixed(2)} (${Math.min(...all).toFixed(2)} to ${Math.max(...all).toFixed(2)})`;
  };
  console.log(`\n${engine}: events a second with 64 clients, medians of ${ROUNDS} rounds`);
  console.table({
    "database alone, 64 rows a batch": {
      "events/s": middle(({ fed }) => fed.perSecond),
      "µs an event: server": middle(({ fed }) => fed.here),
      database: middle(({ fed }) => fed.of[1]!),
    },
    "bare Fastify": figures(({ http }) => http),
    service: figures(({ stored }) => stored),
    "both floors on these processors": { "events/s": middle(({ together }) => together) },
  });
  console.table({ "processors while the service stores": shares(rounds.map(({ stored }) => stored)) });
  console.log(`service to the lower floor: ${span(({ ratio }) => ratio)}`);
  console.log(`service to both floors on ${availableParallelism()} processors: ${span(({ reached }) => reached)}`);
  if (before !== undefined && after !== undefined)
    console.log(`bytes of log an event: ${Math.round((after.bytes - before.bytes) / (after.events - before.events))}`);
};
