import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import pg from "pg";
import { buildService } from "../../../src/service/build.js";
import { ROOT } from "../../support/launch.js";
import { runAt } from "../support/cluster.js";
import { makeClock, setBack } from "../support/database-clock.js";
import { startPostgres } from "../support/postgres-server.js";
import { spawnService } from "../support/service-process.js";
import { cannotMount, smallDisk } from "../support/small-disk.js";
import { askAt, type Cannot, type Driver, type Fault, newFolder, OWN, type Said } from "./driver.js";
import { everyRow, withQuery } from "./in-process.js";

let built: Promise<string[]> | undefined;
/** The arguments of Node for a process that can be killed at each operation; built once, as each is started many times. */
export const buildEntry = (): Promise<string[]> => {
  built ??= (async () => {
    await buildService();
    // The service finds its pages and migrations from the root of what is built.
    const folder = join(ROOT, "build/model/build/service");
    cpSync(join(ROOT, "build/service"), folder, { recursive: true });
    await build({
      ...{ entryPoints: [join(ROOT, "test/service/model/entry.ts")], outdir: folder, bundle: true, splitting: true },
      ...{
        packages: "external",
        platform: "node",
        target: "node20",
        format: "esm",
        logLevel: "warning",
        ignoreAnnotations: true,
      },
    });
    return [join(folder, "entry.js")];
  })();
  return built;
};

/** Of a service, or of a command, over a database. */
export const environmentOf = (databaseUrl: string, more: Record<string, string> = {}): Record<string, string> => ({
  ...{
    DATABASE_URL: databaseUrl,
    TRACKLET_DEMO: "off",
    TRACKLET_API_TOKEN: OWN.api,
    TRACKLET_ACCESS_TOKEN: OWN.access,
  },
  ...{ TRACKLET_SERVER_TOKEN: OWN.server, TRACKLET_ADMIN_TOKEN: OWN.admin, TRACKLET_LOG_LEVEL: "info", ...more },
});
/** Megabytes of the disk of its PostgreSQL. */
const DISK = 400;
/** Milliseconds until all is answered again once no fault is there. */
const RECOVERY = 60_000;

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** A PostgreSQL of its own for one history after another, which may be killed and have no room. */
export const startOwn = async () => {
  const disk = cannotMount === undefined ? smallDisk(DISK) : undefined;
  const place = disk && join(disk.folder, "data");
  if (place !== undefined) mkdirSync(place);
  const server = await startPostgres({
    ...(place && { folder: place }),
    options: ["-c", "max_wal_size=64MB", "-c", "min_wal_size=32MB"],
  });
  let made = 0;
  const create = async (): Promise<string> => {
    const name = `history_${++made}`;
    await runAt(server.url, `CREATE DATABASE ${name}`);
    return server.url.replace(/postgres$/, name);
  };
  const drop = (url: string) =>
    runAt(server.url, `DROP DATABASE IF EXISTS ${new URL(url).pathname.slice(1)} WITH (FORCE)`);
  return {
    cannot: (disk === undefined ? { fullDisk: cannotMount! } : {}) as Cannot,
    open: () => openSpawned({ server, disk, create, drop }),
    stop: async () => {
      await server.stop();
      disk?.remove();
    },
  };
};

interface Own {
  server: Awaited<ReturnType<typeof startPostgres>>;
  disk: ReturnType<typeof smallDisk> | undefined;
  create(): Promise<string>;
  drop(url: string): Promise<unknown>;
}

const openSpawned = async ({ server, disk, create, drop }: Own): Promise<Driver> => {
  const entry = await buildEntry();
  let url = await create();
  const { folder, remove } = newFolder();
  let services: { process: ReturnType<typeof spawnService>; url: string }[] = [];
  let turn = 0;
  const start = async (more: Record<string, string> = {}): Promise<void> => {
    const process = spawnService(environmentOf(url, more), entry);
    services.push({ process, url: await process.ready() });
  };
  const end = async (signal: NodeJS.Signals = "SIGTERM"): Promise<void> => {
    await Promise.all(services.map(({ process }) => process.stop(signal)));
    services = [];
    await alone();
  };
  /** What a process that was killed has sent may be committed still: nobody looks before its connections are gone. */
  const alone = async (): Promise<void> => {
    const others =
      "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()";
    while ((await runAt(url, others).catch(() => [])).length > 0) await pause(20);
  };
  const commandAt = async (databaseUrl: string, args: string[]): Promise<Said> => {
    const { code, stdout, stderr } = await spawnService(environmentOf(databaseUrl), [...entry, ...args]).closed;
    return { out: stdout, err: stderr, ...(code !== 0 && { failed: stderr.trim() || `code ${code}` }) };
  };
  const locks: Promise<unknown>[] = [];
  /** Waits until all processes are there, and take events. */
  const heal = async (): Promise<number> => {
    const began = performance.now();
    await Promise.all(locks.splice(0));
    if (server.hasEnded()) await server.resume();
    if (services.some(({ process }) => process.child.exitCode !== null || process.child.signalCode !== null))
      await end("SIGKILL");
    while (services.length === 0)
      await start().catch((error) => {
        if (performance.now() - began > RECOVERY) throw error;
        return pause(200);
      });
    for (const service of services)
      while ((await fetch(`${service.url}/readyz`).catch(() => undefined))?.status !== 200) {
        if (performance.now() - began > RECOVERY)
          throw new Error("60 s after all faults have ended, events are still not taken");
        await pause(50);
      }
    return performance.now() - began;
  };
  const FAULTS: Record<Fault, (amount: number) => Promise<unknown>> = {
    kill: async (after) => {
      await pause(after);
      await end("SIGKILL");
    },
    terminate: async (after) => {
      await pause(after);
      await end("SIGTERM");
    },
    killServer: async (after) => {
      await pause(after);
      await server.crash();
      await server.resume();
    },
    killConnection: async (after) => {
      await pause(after);
      await runAt(
        url,
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()",
      );
    },
    fullDisk: async (after) => {
      disk!.fill(0);
      await pause(500 + after);
      disk!.empty();
    },
    crash: async (point) => {
      await end();
      await start({ MODEL_CRASH: String(1 + (point % 60)), MODEL_ARMED: "later" });
      services[0]!.process.child.kill("SIGUSR2");
    },
  };
  await start();
  await withQuery(url, makeClock);
  await end();
  await start();
  return {
    ask: (method, path, asked) =>
      services.length === 0
        ? Promise.resolve({ status: undefined, body: undefined })
        : askAt(services[turn++ % services.length]!.url, method, path, asked),
    command: (...args) => commandAt(url, args),
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
      const next = await create();
      const said = await fill({ command: (...args) => commandAt(next, args) }, next);
      if (said.failed === undefined) {
        await drop(url);
        url = next;
        await withQuery(url, makeClock);
      } else await drop(next);
      await start();
      return said;
    },
    slow: async (milliseconds) => {
      const client = new pg.Client(url).on("error", () => {});
      await client.connect();
      await client.query("BEGIN; LOCK TABLE events IN SHARE MODE");
      const release = async () => {
        await client.query("SELECT pg_sleep($1)", [milliseconds / 1_000]);
        await client.query("COMMIT");
      };
      locks.push(
        release()
          .catch(() => {})
          .then(() => client.end().catch(() => {})),
      );
    },
    url: () => url,
    everyRow: () => everyRow(url),
    fault: async (kind, amount) => {
      await FAULTS[kind](amount);
    },
    heal,
    folder,
    patience: 60_000,
    close: async () => {
      await Promise.all(locks);
      await heal().catch(() => {});
      await end();
      await drop(url);
      remove();
    },
  };
};
