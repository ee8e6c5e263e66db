import { cpSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { build } from "esbuild";
import { buildService } from "../../../src/service/build.js";
import { ROOT } from "../../support/launch.js";
import { runAt } from "../support/database.js";
import { startPostgres } from "../support/postgres.js";
import { spawnService } from "../support/service-process.js";
import { cannotMount, smallDisk } from "../support/small-disk.js";
import {
  type Cannot,
  type Driver,
  databasesOf,
  type Fault,
  type House,
  must,
  OWN,
  openDriver,
  type Said,
  soon,
} from "./driver.js";

/** Megabytes of the disk of its PostgreSQL. */
const DISK = 400;
/** Milliseconds until all is answered again once no fault is there. */
const RECOVERY = 60_000;
const CUT =
  "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()";

let built: Promise<[string[], string[]]> | undefined;
/** The arguments of Node for a process that can be killed at each operation, of this release and of one that follows; built once, as each is started many times. */
export const buildEntries = () => {
  built ??= (async () => {
    await buildService();
    // The service finds its pages and migrations from the root of what is built.
    const folder = join(ROOT, "build/model/build/service");
    cpSync(join(ROOT, "build/service"), folder, { recursive: true });
    await build({
      entryPoints: ["model/crash", "support/short-time"].map((name) => join(ROOT, `test/service/${name}.ts`)),
      outdir: folder,
      entryNames: "[name]",
      bundle: true,
      splitting: true,
      packages: "external",
      platform: "node",
      target: "node20",
      format: "esm",
      logLevel: "warning",
      // The file that counts is nothing but an effect.
      ignoreAnnotations: true,
    });
    const next = join(ROOT, "build/model/next/build/service");
    rmSync(join(next, "migrations"), { recursive: true, force: true });
    cpSync(folder, next, { recursive: true });
    cpSync(join(ROOT, "test/upgrade/next"), join(next, "migrations"), { recursive: true });
    const argumentsOf = (one: string) => ["--import", join(one, "crash.js"), join(one, "short-time.js")];
    return [argumentsOf(folder), argumentsOf(next)];
  })();
  return built;
};

/** A PostgreSQL of its own for one history after another, which may be killed and have no room. */
export const startOwn = async () => {
  const disk = cannotMount === undefined ? smallDisk(DISK) : undefined;
  const folder = disk && join(disk.folder, "data");
  if (folder !== undefined) mkdirSync(folder);
  const server = await startPostgres({
    ...(folder && { folder }),
    options: ["-c", "max_wal_size=64MB", "-c", "min_wal_size=32MB"],
  });
  const entries = await buildEntries();
  /** Of what is started next: of which release it is, and after which operation it is killed. */
  let [release, killed]: [number, Record<string, string>] = [0, {}];
  const spawn = (databaseUrl: string, args: string[] = [], more = {}, of = release) => {
    const own = { DATABASE_URL: databaseUrl, TRACKLET_DEMO: "off", TRACKLET_LOG_LEVEL: "info" };
    const tokens = { TRACKLET_API_TOKEN: OWN.api, TRACKLET_ACCESS_TOKEN: OWN.access };
    const others = { TRACKLET_SERVER_TOKEN: OWN.server, TRACKLET_ADMIN_TOKEN: OWN.admin };
    return spawnService({ ...own, ...tokens, ...others, ...more }, [...entries[of]!, ...args]);
  };
  const saidBy = async ({ closed }: ReturnType<typeof spawnService>): Promise<Said> => {
    const { code, stdout: out, stderr: err } = await closed;
    return { out, err, ...(code !== 0 && { failed: err.trim() || `code ${code}` }) };
  };
  const start: House["start"] = async (databaseUrl, more) => {
    const { process: child, isRunning, ready, stop } = spawn(databaseUrl, [], more);
    return { url: await ready(), pid: child.pid!, hasEnded: () => !isRunning(), isToEnd: more !== undefined, stop };
  };
  const house: House = {
    patience: 2 * RECOVERY,
    start,
    command: async (databaseUrl, args) => {
      // What only reads is none that is to be broken off.
      const more = args[0] === "audit" ? {} : killed;
      const said = await saidBy(spawn(databaseUrl, args, more));
      // What has tables of the release that follows is loaded by that one.
      const isOfNext = /another build/.test(said.failed ?? "");
      return isOfNext ? saidBy(spawn(databaseUrl, args, more, 1)) : said;
    },
    ...(await databasesOf(server.url, start)),
  };
  const open = async (): Promise<Driver> => {
    [release, killed] = [0, {}];
    const driver = await openDriver(house);
    const killedAfter = (point: number) => ({ MODEL_CRASH: String(point), MODEL_POINTS: driver.points });
    const FAULT: Record<Fault, (amount: number) => Promise<unknown>> = {
      kill: () => driver.end("SIGKILL"),
      terminate: () => driver.end("SIGTERM"),
      killServer: () => server.crash().then(() => server.resume()),
      killConnection: () => runAt(driver.url(), CUT),
      fullDisk: async (after) => {
        disk!.fill(0);
        // So long it is full.
        await pause(500 + after);
        disk!.empty();
      },
      crash: async (point) => {
        await driver.end();
        await driver.start({ ...killedAfter(point), MODEL_ARMED: "later" });
        process.kill(driver.services()[0]!.pid!, "SIGUSR2");
      },
      breakOff: async (point) => {
        killed = killedAfter(point);
      },
    };
    const heal = async (): Promise<void> => {
      if (server.hasEnded()) await server.resume();
      // One that is to end at an operation does so now at the latest.
      if (driver.services().some(({ hasEnded, isToEnd }) => isToEnd || hasEnded())) await driver.end("SIGKILL");
      killed = {};
      if (driver.services().length === 0) await driver.start();
      for (const { url } of driver.services())
        await soon(RECOVERY, async () => {
          if (!(await fetch(`${url}/readyz`)).ok)
            throw new Error("a minute after all faults have ended, no event is taken");
        });
    };
    const { close } = driver;
    return Object.assign(driver, {
      heal,
      fault: (kind: Fault, amount: number) => FAULT[kind](amount),
      close: () => heal().then(close, close),
      changeRelease: async (isAlone: boolean) => {
        if (release === 0) await must(saidBy(spawn(driver.url(), ["migrate"], killed, 1)));
        release = 1 - release;
        await (isAlone ? driver.restart() : driver.second());
      },
    });
  };
  const stop = async (): Promise<void> => {
    await server.stop();
    disk?.remove();
  };
  const cannot: Cannot = disk === undefined ? { fullDisk: cannotMount } : {};
  return { open, stop, cannot };
};
