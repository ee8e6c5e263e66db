import { readState } from "../../../src/service/commands/import.js";
import type { Database } from "../../../src/service/database/database.js";
import { openDatabase } from "../../../src/service/database/open-database.js";
import type { NewEvent } from "../../../src/service/ingest/store/rows.js";
import { createEventStore } from "../../../src/service/ingest/store/store.js";
import { median } from "../../support/median.js";
import { cpuSeconds } from "../../support/processor-time.js";
import { CLUSTER, openCluster } from "../support/cluster.js";
import { noCluster, startCluster } from "../support/own-cluster.js";
import { startPostgres } from "../support/postgres-server.js";
import { spawnService } from "../support/service-process.js";
import { type Load, nextEvent, paramsOf, post } from "./load.js";

const WORKERS = 3;
const ROUNDS = 5;
const SECONDS = 4;
/** Events of a batch, each of another contact, and how many batches go one after another in a round. */
const BATCH = 64;
const BATCHES = 100;

/** A cluster: that of `DATABASE_URL`, of whose processes nothing is known, or one of four servers that wait for the disk. */
const openAny = async () => {
  if (CLUSTER !== undefined) {
    const { url, leave } = await openCluster();
    return { url: url(), pids: () => [], close: leave };
  }
  const { url, nodes, stop } = await startCluster(WORKERS, { sync: true });
  return { url, pids: () => nodes.map((node) => node.pid()), close: stop };
};

/** Milliseconds until all events of a batch are stored. */
const storeBatches = async (database: Database): Promise<number[]> => {
  const store = createEventStore(database, await readState(database));
  const event = (number: number): NewEvent => ({
    workspace: "default",
    contactUid: `contact-${number}`,
    accountUid: `account-${number}`,
    eventUid: "pageview",
    ...paramsOf(nextEvent()),
    receivedAt: Date.now(),
  });
  const times: number[] = [];
  for (let batch = 0; batch < BATCHES; batch += 1) {
    const began = performance.now();
    await Promise.all(Array.from({ length: BATCH }, (_, number) => store.add(event(number))));
    times.push(performance.now() - began);
  }
  return times;
};

interface Round {
  load: Load;
  /** Microseconds of the processor an event: of the service, and of each server of the database. */
  service: number;
  servers: number[];
  /** Milliseconds. */
  batch: number;
}

/** @param pids the servers of the database */
const openSide = async (databaseUrl: string, pids: () => number[]) => {
  const database = await openDatabase({ databaseUrl, dataFolder: "" });
  const service = spawnService({ TRACKLET_RATE_LIMIT: "0", DATABASE_URL: databaseUrl });
  const url = await service.ready();
  await post(url, 3);
  await storeBatches(database);
  const rounds: Round[] = [];
  return {
    rounds,
    round: async () => {
      const times = () => [service.child.pid!, ...pids()].map(cpuSeconds);
      const before = times();
      const load = await post(url, SECONDS);
      const [ofService, ...servers] = times().map(
        (time, at) => ((time - before[at]!) * 1e6) / (load.perSecond * SECONDS),
      );
      rounds.push({ load, service: ofService!, servers, batch: median(await storeBatches(database)) });
    },
    close: async () => {
      await service.stop("SIGTERM");
      await database.close();
    },
  };
};

/** What a cluster of Citus takes, beside one PostgreSQL on the same machine, in turns. */
export const spread = async (): Promise<void> => {
  if (CLUSTER === undefined && noCluster !== undefined) return console.log(`Citus: ${noCluster}`);
  const server = await startPostgres({ sync: true });
  const cluster = await openAny();
  const plain = await openSide(server.url, () => [server.pid()]);
  const citus = await openSide(cluster.url, cluster.pids);
  for (let round = 0; round < ROUNDS; round += 1) for (const side of [plain, citus]) await side.round();
  for (const { close } of [plain, citus, cluster]) await close();
  await server.stop();

  const figures = ({ rounds }: typeof plain) => {
    const of = (value: (round: Round) => number) => Math.round(median(rounds.map(value)));
    return {
      "events/s": of(({ load }) => load.perSecond),
      "p99 ms": of(({ load }) => load.p99),
      [`${BATCH} events, ms`]: median(rounds.map(({ batch }) => batch)).toFixed(1),
      "µs an event: service": of(({ service }) => service),
      "each server": rounds[0]!.servers.map((_, at) => of(({ servers }) => servers[at]!)).join(" + "),
    };
  };
  console.log(`\nOne PostgreSQL and a cluster of Citus, medians of ${ROUNDS} rounds in turns`);
  console.table({ PostgreSQL: figures(plain), Citus: figures(citus) });
  const ratio = (value: (round: Round) => number): string => {
    const all = citus.rounds.map((round, at) => value(round) / value(plain.rounds[at]!));
    return `${median(all).toFixed(2)} (${Math.min(...all).toFixed(2)} to ${Math.max(...all).toFixed(2)})`;
  };
  console.log(`Citus to PostgreSQL, events a second: ${ratio(({ load }) => load.perSecond)}`);
  console.log(`Citus to PostgreSQL, milliseconds until ${BATCH} events are stored: ${ratio(({ batch }) => batch)}`);
};
