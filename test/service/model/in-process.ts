import pg from "pg";
import type { Query } from "../../../src/service/database/database.js";
import { openExisting } from "../../../src/service/database/open-database.js";
import { AT_ONCE } from "../support/bounds.js";
import { runAt } from "../support/cluster.js";
import { makeClock, setBack } from "../support/database-clock.js";
import { startPostgres } from "../support/postgres-server.js";
import { startService } from "../support/running-service.js";
import { runTold } from "../support/told-command.js";
import { askAt, type Cannot, type Driver, FAULTS, newFolder, OWN, type Said, soon } from "./driver.js";

/** Milliseconds for what follows in a moment, on a busy machine. */
const PATIENCE = 30_000;
/** What is committed is settled, and looks come often. */
const BOUNDS = { ...AT_ONCE, reread: 20 };

/** One PostgreSQL for many histories, each with a database of its own. Nothing of it is killed. */
export const startShared = async () => {
  const server = await startPostgres({ options: ["-c", "max_connections=300"] });
  const urlOf = (name: string): string => server.url.replace(/postgres$/, name);
  await runAt(server.url, "CREATE DATABASE made");
  const first = await startService({ databaseUrl: urlOf("made"), bounds: BOUNDS });
  await first.app.close();
  await withQuery(urlOf("made"), makeClock);
  let made = 0;
  const create = async (template: string): Promise<string> => {
    const name = `history_${++made}`;
    await runAt(server.url, `CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY file_copy`);
    if (template === "made")
      await runAt(server.url, `ALTER DATABASE ${name} SET search_path = skewed, pg_catalog, public`);
    return urlOf(name);
  };
  const drop = (url: string): Promise<unknown> =>
    runAt(server.url, `DROP DATABASE IF EXISTS ${new URL(url).pathname.slice(1)} WITH (FORCE)`);
  const why = "histories share a process and a PostgreSQL";
  const cannot: Cannot = Object.fromEntries(FAULTS.map((name) => [name, why]));
  return { open: () => openInProcess(create, drop), stop: server.stop, cannot };
};
export const withQuery = async (databaseUrl: string, work: (query: Query) => Promise<unknown>): Promise<void> => {
  const { query, close } = await openExisting({ databaseUrl, dataFolder: "" });
  await work(query).finally(close);
};

export type Shared = Awaited<ReturnType<typeof startShared>>;

const openInProcess = async (
  create: (template: string) => Promise<string>,
  drop: (url: string) => Promise<unknown>,
): Promise<Driver> => {
  let url = await create("made");
  const { folder, remove } = newFolder();
  let turn = 0;
  let services: Awaited<ReturnType<typeof startService>>[] = [];
  const config = () => ({ databaseUrl: url, apiToken: OWN.api, accessToken: OWN.access, adminToken: OWN.admin });
  const start = async (): Promise<void> => {
    const options = { ...config(), serverToken: OWN.server, bounds: BOUNDS, logLevel: "fatal" as const };
    // On a busy machine a connection may take longer than a start waits.
    await soon(PATIENCE, async () => void services.push(await startService(options)));
  };
  const end = async (): Promise<void> => {
    for (const service of services) await service.close();
    services = [];
  };
  const commandAt =
    (databaseUrl: () => string) =>
    (...args: string[]): Promise<Said> =>
      runTold({ ...config(), databaseUrl: databaseUrl() }, ...args).catch((error: Error) => ({
        ...{ out: "", err: error.message, failed: error.message },
      }));
  const locks: Promise<void>[] = [];
  await start();
  const driver: Driver = {
    url: () => url,
    ask: (method, path, asked) => askAt(services[turn++ % services.length]!.url, method, path, asked),
    command: commandAt(() => url),
    restart: async () => {
      await end();
      await start();
    },
    second: async () => {
      if (services.length < 2) await start();
    },
    setClock: (to) => withQuery(url, (query) => setBack(query, -to)),
    moveOn: async (fill) => {
      await end();
      await Promise.all(locks);
      const next = await create("template0");
      await driver.beforeFill?.(next);
      driver.beforeFill = undefined;
      const said = await fill({ command: commandAt(() => next) }, next);
      if (said.failed === undefined) {
        await drop(url);
        url = next;
        await withQuery(url, makeClock);
      } else await drop(next);
      await start();
      return said;
    },
    slow: async (milliseconds) => {
      const client = new pg.Client(url);
      await client.connect();
      await client.query("BEGIN; LOCK TABLE events IN SHARE MODE");
      const over = (async () => {
        await client.query("SELECT pg_sleep($1)", [milliseconds / 1_000]);
        await client.query("COMMIT");
        await client.end();
      })();
      locks.push(over);
    },
    everyRow: () => everyRow(url),
    heal: async () => {
      await Promise.all(locks);
      return 0;
    },
    folder,
    patience: PATIENCE,
    close: async () => {
      await Promise.all(locks);
      await end();
      await drop(url);
      remove();
    },
  };
  return driver;
};

/** Every row of every table as text. */
export const everyRow = async (url: string): Promise<Record<string, string>> => {
  const tables: Record<string, string> = {};
  for (const { name } of await runAt<{ name: string }>(
    url,
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'",
  ))
    tables[name] = (await runAt<{ row: string }>(url, `SELECT row::text FROM ${name} AS row`))
      .map(({ row }) => row)
      .join("\n");
  return tables;
};
