import autocannon from "autocannon";
import pg from "pg";
import type { Place } from "../support/places.js";
import { fillPlace, lookUps } from "./fill.js";
import { spawnOver } from "./spawn-over.js";

const AMOUNTS = { events: 1_000_000, contacts: 50_000, users: 100_000 };
const REQUESTS = 200;

/** Milliseconds that each look-up takes in a database of a million events: alone, and twenty at a time. */
export const latency = async (engine: string, place: Place): Promise<void> => {
  const began = performance.now();
  await fillPlace(place, AMOUNTS);
  console.log(`\n${engine}: filled in ${Math.round((performance.now() - began) / 1_000)} s with`, AMOUNTS);
  const service = spawnOver(place);
  const url = await service.ready();
  const time = async (path: string, connections: number) => {
    const { latency, errors, non2xx } = await autocannon({
      url: url + path,
      connections,
      amount: REQUESTS,
      headers: { authorization: "Bearer demo-access-token" },
    });
    if (errors + non2xx > 0) throw new Error(`${path}: ${errors} errors, ${non2xx} answers that were not 2xx`);
    return latency;
  };
  const rows: Record<string, Record<string, number>> = {};
  for (const [name, path] of Object.entries(lookUps(AMOUNTS))) {
    await time(path, 1);
    const alone = await time(path, 1);
    const crowd = await time(path, 20);
    rows[name] = { "p50 ms": alone.p50, "p99 ms": alone.p99, "p50 ms of 20": crowd.p50, "p99 ms of 20": crowd.p99 };
  }
  await service.stop("SIGTERM");
  console.table(rows);
  if (place.databaseUrl !== undefined) console.log(await sizes(place.databaseUrl));
};

/** Bytes that an event takes on the disk, and what of it indexes and params are. */
const sizes = async (url: string): Promise<string> => {
  const client = new pg.Client(url);
  await client.connect();
  const { rows } = await client.query<{ total: string; indexes: string; params: string }>(
    `SELECT pg_total_relation_size('events') AS total, pg_indexes_size('events') AS indexes,
            (SELECT sum(length(params)) FROM events) AS params`,
  );
  await client.end();
  const perEvent = (bytes: string) => Math.round(Number(bytes) / AMOUNTS.events);
  const { total, indexes, params } = rows[0]!;
  return `bytes an event: ${perEvent(total)}, of which indexes ${perEvent(indexes)} and params ${perEvent(params)}`;
};
