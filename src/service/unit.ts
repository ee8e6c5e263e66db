import cluster from "node:cluster";
import { once } from "node:events";
import Fastify from "fastify";
import { AggregatorRegistry } from "prom-client";
import { StartError } from "./base/start-error.js";
import type { ServiceConfig } from "./config/options.js";
import type { UnitMessage } from "./config/unit-messages.js";
import { logOptions } from "./watch/logging.js";

/** Milliseconds after which a process that has ended is replaced; each end that follows another doubles them up to the most. */
const [AGAIN_MS, MOST_MS] = [100, 30_000];
/** Milliseconds without an end after which the first wait holds again. */
const CALM_MS = 60_000;

/** Several processes that share a port, as their primary sees them. */
export interface Unit {
  /** Rejects when a process cannot start before all have once: the others end with the primary. */
  broken: Promise<never>;
  /** Tells all processes to end, and resolves when they have: they finish what they have begun. */
  stop(): Promise<void>;
}

/**
 * Starts processes that share a port, among which Node shares its connections, replaces those that end, and passes on what they tell
 * each other. The primary opens no database, each of them does.
 *
 * @param database as the log tells it
 */
export const startUnit = ({ processes, logLevel }: ServiceConfig, database: string): Unit => {
  // Metrics may be no number, which JSON has not.
  cluster.setupPrimary({ serialization: "advanced" });
  const { log } = Fastify(logOptions(logLevel));
  log.info(`events go into ${database}`);
  const metrics = new AggregatorRegistry();
  const running = () => Object.values(cluster.workers!).map((worker) => worker!);
  let begun = 0;
  let wait = AGAIN_MS;
  let endedAt = Number.NEGATIVE_INFINITY;
  let stopping = false;
  let fail: (error: StartError) => void;
  const broken = new Promise<never>((_, reject) => (fail = reject));

  const start = (): void => {
    const worker = cluster.fork();
    const { pid } = worker.process;
    let why: string | undefined;
    worker.on("message", async (message: UnitMessage) => {
      if (message.kind === "failed") why = message.text;
      // Of one that has just ended nothing is waited for.
      else if (message.kind === "counted") for (const one of running()) one !== worker && one.send(message, () => {});
      else if (message.kind === "ask metrics") {
        const text = await metrics.clusterMetrics().catch(() => undefined);
        worker.send({ kind: "metrics", ask: message.ask, text } satisfies UnitMessage, () => {});
      }
    });
    worker.once("listening", ({ address, port }) => {
      begun += 1;
      const url = `http://${address.includes(":") ? `[${address}]` : address}:${port}`;
      if (begun === processes) log.info({ processes }, `service ready at ${url}`);
    });
    worker.once("exit", (code, signal) => {
      if (stopping) return;
      const how = why ?? `process ${pid} has ended (${signal ?? `code ${code}`})`;
      if (begun < processes) return fail(new StartError(how));
      wait = performance.now() - endedAt > CALM_MS ? AGAIN_MS : Math.min(2 * wait, MOST_MS);
      endedAt = performance.now();
      log.error({ process: pid }, `${how}: another one is started in ${wait} ms`);
      setTimeout(() => stopping || start(), wait);
    });
  };
  for (let number = 0; number < processes; number += 1) start();

  return {
    broken,
    stop: async () => {
      stopping = true;
      const ended = running().map((worker) => once(worker, "exit"));
      for (const worker of running()) worker.process.kill("SIGTERM");
      await Promise.all(ended);
    },
  };
};
