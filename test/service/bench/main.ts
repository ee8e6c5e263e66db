import { rm } from "node:fs/promises";
import autocannon from "autocannon";
import { recordId } from "../../../src/service/base/exact-text.js";
import { filesOf, readServerFile } from "../../../src/service/database/embedded/data-folder.js";
import { runningUrl } from "../../../src/service/database/embedded/server.js";
import { openDatabase } from "../../../src/service/database/open-database.js";
import { SPANS } from "../../../src/service/days/calendar.js";
import { answerOf } from "../../../src/service/numbers/ask-question.js";
import { QUESTIONS } from "../../../src/service/numbers/questions.js";
import { dataFolder } from "../../support/data-folder.js";
import { median } from "../../support/median.js";
import { cpuSeconds } from "../../support/processor-time.js";
import { followSums, runAt } from "../support/database.js";
import { startPostgres } from "../support/postgres.js";
import { spawnService } from "../support/service-process.js";
import { fillPlace, lookUps } from "./fill.js";
import { type Load, post } from "./load.js";

/*
 * `npm run bench:service`: what the service can take. `throughput` posts page views by 64 clients (`CLIENTS=256`), over a PostgreSQL of its own
 * and over a given one, and tells what each costs, and its ratio to the floor of `bare.ts`; `latency` fills a database with a year of a million
 * events, and times each look-up, each answer of the numbers, and each question of docs/service/sql.md by its time. Named as an argument, each
 * runs alone. `npm run year -- 10000000 12000` is `latency` with as many events and accounts. It never fails on a figure: figures depend on the
 * machine and on what else it does, so ratios are of one run.
 */

const ROUNDS = 5;
const SECONDS = 4;
/** Events before the first round. */
const WARM = 30_000;
const BARE = ["--import", "tsx", "test/service/bench/bare.ts"];

/** A service over a database, and what events cost. @param pids the servers of the database @param args of Node. Default: the service */
const openSide = async (where: Record<string, string>, pids: () => number[], args?: string[]) => {
  const service = spawnService({ ...where, TRACKLET_PROCESSES: process.env.TRACKLET_PROCESSES ?? "1" }, args);
  const url = await service.ready();
  // Compiled by then, however busy the machine is.
  await post(url, { amount: WARM });
  const rounds: (Load & { costs: number[] })[] = [];
  const of = (value: (round: (typeof rounds)[number]) => number) => Math.round(median(rounds.map(value)));
  return {
    rounds,
    round: async () => {
      const times = () => [service.process.pid!, ...pids()].map(cpuSeconds);
      const before = times();
      const load = await post(url, { duration: SECONDS });
      const costs = times().map((time, at) => ((time - before[at]!) * 1e6) / (load.perSecond * SECONDS));
      // A server of its own is among the processes that it has started.
      if (where.DATABASE_URL === undefined) costs[0]! -= costs[1]!;
      rounds.push({ ...load, costs });
    },
    figures: () => ({
      "events/s": of(({ perSecond }) => perSecond),
      "p50 ms": of(({ p50 }) => p50),
      "p99 ms": of(({ p99 }) => p99),
      "µs an event: service": of(({ costs }) => costs[0]!),
      "each server": rounds[0]!.costs
        .slice(1)
        .map((_, at) => of(({ costs }) => costs[at + 1]!))
        .join(" + "),
    }),
    close: () => service.stop("SIGTERM"),
  };
};

const throughput = async (): Promise<void> => {
  // As in operation: it waits for the disk.
  const [folder, server] = [await dataFolder(), await startPostgres({ sync: true })];
  const own = await openSide({ TRACKLET_DATA: folder }, () => [readServerFile(filesOf(folder).cluster)!.pid]);
  const given = await openSide({ DATABASE_URL: server.url }, () => [server.pid()]);
  const bare = await openSide({ DATABASE_URL: runningUrl(folder)! }, () => [], BARE);
  const sizes = async () =>
    (
      await runAt<Record<string, string>>(
        server.url,
        `SELECT count(*) AS events, pg_total_relation_size('events') AS bytes,
           pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') AS log FROM events`,
      )
    )[0]!;
  const before = await sizes();
  for (let round = 0; round < ROUNDS; round += 1) for (const side of [own, given, bare]) await side.round();
  const after = await sizes();
  console.table({
    "a PostgreSQL of its own": own.figures(),
    "a given PostgreSQL": given.figures(),
    "bare Fastify and INSERT": bare.figures(),
  });
  const toFloor = (what: string, of: (at: number) => number) =>
    console.log(`to the floor, by ${what}: ${own.rounds.map((_, at) => of(at).toFixed(2)).join(", ")}`);
  toFloor("the processor's time", (at) => bare.rounds[at]!.costs[0]! / own.rounds[at]!.costs[0]!);
  toFloor("events a second", (at) => own.rounds[at]!.perSecond / bare.rounds[at]!.perSecond);
  const anEvent = (name: string) =>
    Math.round((Number(after[name]) - Number(before[name])) / (Number(after.events) - Number(before.events)));
  console.log(`bytes an event: ${anEvent("bytes")} in table and indexes, ${anEvent("log")} in the log`);
  for (const side of [bare, given, own]) await side.close();
  await Promise.all([server.stop(), rm(folder, { recursive: true })]);
};

/** A year of a site. */
const [EVENTS = 1_000_000, accounts = 300] = process.argv.map(Number).filter((one) => one > 0);
const SITE = { events: EVENTS, contacts: 20_000, accounts, users: 100_000, days: 365 };
const REQUESTS = 40;
/** Of a question in SQL the middle of so many. */
const ASKED = 3;

const dayAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);

/** What the pages ask for. */
const numbers = (): string[] => {
  const [account, contact] = [recordId("account", "bulk-7"), recordId("contact", "bulk-7")];
  const filters = ["event_uid=event-7", "host=shop.example", "path=/products/7", `account=${account}`];
  const which = ["show=falling", "show=silent", "sort=name", "search=bulk-7", "offset=50"];
  return [
    ...Object.keys(SPANS).flatMap((span) => [`?span=${span}`, `/accounts?span=${span}`]),
    `?from=${dayAgo(20)}&to=${dayAgo(20)}`,
    ...filters.map((filter) => `?span=30d&${filter}`),
    ...which.map((one) => `/accounts?${one}`),
    `/accounts/${account}`,
    `/accounts/${account}/events`,
    `/contacts/${contact}`,
    `/contacts/${contact}/events`,
    "/returning?of=account",
    "/returning?of=contact",
    "/left-out",
  ].map((path) => `/v2/numbers${path}`);
};

const latency = async (): Promise<void> => {
  const server = await startPostgres({ sync: true });
  const place = { dataFolder: "", databaseUrl: server.url };
  await fillPlace(place, SITE);
  const database = await openDatabase(place);
  const began = performance.now();
  await followSums(database);
  console.log(`${(((performance.now() - began) * 1_000) / EVENTS).toFixed(1)} µs each of ${EVENTS} events to count`);
  await database.query("ANALYZE");
  const service = spawnService({ DATABASE_URL: server.url });
  const url = await service.ready();
  const time = async (path: string, connections: number) => {
    const headers = { authorization: "Bearer demo-access-token" };
    const { latency, errors, non2xx } = await autocannon({ url: url + path, connections, amount: REQUESTS, headers });
    if (errors + non2xx > 0) throw new Error(`${path}: ${errors} errors, ${non2xx} answers that were not 2xx`);
    return latency;
  };
  const rows: Record<string, Record<string, number>> = {};
  for (const path of [...Object.values(lookUps(SITE)), ...numbers()]) {
    await time(path, 1);
    const [alone, crowd] = [await time(path, 1), await time(path, 20)];
    rows[path] = { "p50 ms": alone.p50, "p99 ms": alone.p99, "p50 ms of 20": crowd.p50, "p99 ms of 20": crowd.p99 };
  }
  await service.stop("SIGTERM");
  const times = [...Object.keys(SPANS).map((span) => ({ span })), { span: "a year", from: dayAgo(365), to: dayAgo(1) }];
  const given: Record<string, string> = { account: "bulk-7", contact: "bulk-7", first: "event-7", second: "event-8" };
  const byTime: typeof rows = {};
  for (const [name, question] of QUESTIONS) {
    const wanted = question.parameters.filter((one) => one.standard === undefined || one.is_one_of);
    const asked = Object.fromEntries(wanted.map(({ name }) => [name, given[name]]));
    byTime[name] = {};
    for (const { span, ...when } of times) {
      const took: number[] = [];
      for (let from = performance.now(); took.length < ASKED; from = performance.now()) {
        await answerOf(database.query, question, { workspace: "default", span, ...when, ...asked });
        took.push(performance.now() - from);
      }
      byTime[name][span] = Math.round(median(took));
    }
  }
  await database.close();
  console.table(rows);
  console.table(byTime);
  await server.stop();
};

const BENCHES = { throughput, latency };
const asked = process.argv.slice(2);
for (const [name, bench] of Object.entries(BENCHES)) if (asked.length === 0 || asked.includes(name)) await bench();
