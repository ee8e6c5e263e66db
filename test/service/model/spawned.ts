import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { buildService } from "../../../src/service/build.js";
import { ROOT } from "../../support/launch.js";
import { runAt } from "../support/cluster.js";
import { makeClock } from "../support/database-clock.js";
import { startPostgres } from "../support/postgres-server.js";
import { spawnService } from "../support/service-process.js";
import { cannotMount, smallDisk } from "../support/small-disk.js";
import { type Cannot, type Driver, type Fault, type House, OWN, openDriver, pause, withQuery } from "./driver.js";

/** Megabytes of the disk of its PostgreSQL. */
const DISK = 400;
/** Milliseconds until all is answered again once no fault is there. */
const RECOVERY = 60_000;

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
      ...{ packages: "external", platform: "node", target: "node20", format: "esm", logLevel: "warning" },
      // The file that counts is nothing but an effect.
      ignoreAnnotations: true,
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

/** A PostgreSQL of its own for one history after another, which may be killed and have no room. */
export const startOwn = async () => {
  const disk = cannotMount === undefined ? smallDisk(DISK) : undefined;
  const folder = disk && join(disk.folder, "data");
  if (folder !== undefined) mkdirSync(folder);
  const server = await startPostgres({
    ...(folder && { folder }),
    options: ["-c", "max_wal_size=64MB", "-c", "min_wal_size=32MB"],
  });
  const entry = await buildEntry();
  let made = 0;
  const house: House = {
    patience: RECOVERY,
    start: async (databaseUrl, more) => {
      const { child, ready, stop } = spawnService(environmentOf(databaseUrl, more), entry);
      return {
        url: await ready(),
        pid: child.pid!,
        hasEnded: () => child.exitCode !== null || child.signalCode !== null,
        stop,
      };
    },
    command: async (databaseUrl, args) => {
      const {
        code,
        stdout: out,
        stderr: err,
      } = await spawnService(environmentOf(databaseUrl), [...entry, ...args]).closed;
      return { out, err, ...(code !== 0 && { failed: err.trim() || `code ${code}` }) };
    },
    create: async (isEmpty) => {
      const url = server.url.replace(/postgres$/, `history_${++made}`);
      await runAt(server.url, `CREATE DATABASE history_${made}`);
      if (isEmpty) return url;
      await (await house.start(url)).stop("SIGTERM");
      await withQuery(url, makeClock);
      return url;
    },
    drop: (url) => runAt(server.url, `DROP DATABASE IF EXISTS ${new URL(url).pathname.slice(1)} WITH (FORCE)`),
  };
  return {
    cannot: (disk === undefined ? { fullDisk: cannotMount } : {}) as Cannot,
    open: async (): Promise<Driver> => breakable(await openDriver(house), server, disk),
    stop: async () => {
      await server.stop();
      disk?.remove();
    },
  };
};

const breakable = (
  driver: Driver,
  server: Awaited<ReturnType<typeof startPostgres>>,
  disk?: ReturnType<typeof smallDisk>,
): Driver => {
  let isArmed = false;
  const CUT =
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()";
  const FAULT: Record<Fault, (amount: number) => Promise<unknown>> = {
    kill: () => driver.end("SIGKILL"),
    terminate: () => driver.end("SIGTERM"),
    killServer: () => server.crash().then(() => server.resume()),
    killConnection: () => runAt(driver.url(), CUT),
    fullDisk: async (after) => {
      disk!.fill(0);
      await pause(500 + after);
      disk!.empty();
    },
    crash: async (point) => {
      isArmed = true;
      await driver.end();
      await driver.start({ MODEL_CRASH: String(1 + (point % 60)), MODEL_ARMED: "later" });
      process.kill(driver.services()[0]!.pid!, "SIGUSR2");
    },
  };
  const heal = async (): Promise<number> => {
    const began = performance.now();
    if (server.hasEnded()) await server.resume();
    // One that is to end at an operation does so now at the latest.
    if (isArmed || driver.services().some((service) => service.hasEnded())) await driver.end("SIGKILL");
    isArmed = false;
    if (driver.services().length === 0) await driver.start();
    for (const { url } of driver.services())
      while ((await fetch(`${url}/readyz`).catch(() => undefined))?.status !== 200) {
        if (performance.now() - began > RECOVERY)
          throw new Error("a minute after all faults have ended, no event is taken");
        await pause(50);
      }
    return performance.now() - began;
  };
  const fault: Driver["fault"] = async (kind, amount) => {
    if (kind !== "crash") await pause(amount % 300);
    await FAULT[kind](amount);
  };
  const { close } = driver;
  return Object.assign(driver, { heal, fault, close: () => heal().then(close, close) });
};
