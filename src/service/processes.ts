import cluster, { type Worker } from "node:cluster";
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import Fastify from "fastify";
import { AggregatorRegistry } from "prom-client";
import { untilNoneConnects } from "./access/limits.js";
import { StartError } from "./base/start-error.js";
import { createWaits } from "./base/times.js";
import type { ServiceConfig } from "./config/options.js";
import type { UnitMessage } from "./config/process-messages.js";
import { logOptions } from "./monitoring/logging.js";

/** The first and the longest wait, in milliseconds, before a process that has ended is replaced. */
const [AGAIN_MS, MOST_MS] = [100, 30_000];

/** Several processes that share a port, as their primary sees them. */
export interface Unit {
  /** Rejects when a process cannot start before all have once: the others end with the primary. */
  broken: Promise<never>;
  /** Tells all processes to end, and resolves when they have: they finish what they have begun. */
  stop(): Promise<void>;
}

/**
 * Starts processes that share a port, hands its connections to them, replaces those that end, and passes on what they tell each other.
 * The primary opens no database, each of them does.
 *
 * @param database as the log tells it
 */
export const startUnit = ({ processes, host, port, logLevel }: ServiceConfig, database: string): Unit => {
  // Metrics may be no number, which JSON has not.
  cluster.setupPrimary({ serialization: "advanced" });
  const { log } = Fastify(logOptions(logLevel));
  log.info(`events go into ${database}`);
  const metrics = new AggregatorRegistry();
  const running = () => Object.values(cluster.workers!).map((worker) => worker!);
  let begun = 0;
  const nextWait = createWaits(AGAIN_MS, MOST_MS);
  let stopping = false;
  let fail: (error: StartError) => void;
  const broken = new Promise<never>((_, reject) => (fail = reject));

  /** Those that take connections, the next one first; and connections that came when there was none. */
  const taking = new Set<Worker>();
  const waiting: Socket[] = [];
  let taken = 0;
  /**
   * In turn: where processes take connections by themselves, one that wakes first takes all that wait, and keeps them. The cluster's own
   * way resets, when the last process stops to listen, what it has not handed over yet: 44 of 48 clients under load.
   */
  const hand = (socket: Socket): void => {
    taken += 1;
    const [next] = taking;
    if (next === undefined) return void waiting.push(socket);
    taking.delete(next);
    taking.add(next);
    next.process.send({ kind: "connection" } satisfies UnitMessage, socket, undefined, () => {});
  };
  // Who connects is read by the process alone to which it is handed.
  const server = createServer({ pauseOnConnect: true, noDelay: true }, hand);
  const listen = (): void => {
    server.once("error", ({ message }) => fail(new StartError(`cannot listen at ${host}:${port} (${message})`)));
    server.listen(port, host, () => {
      const url = `http://${host.includes(":") ? `[${host}]` : host}:${(server.address() as AddressInfo).port}`;
      log.info({ processes }, `service ready at ${url}`);
    });
  };

  const start = (): void => {
    const worker = cluster.fork();
    const { pid } = worker.process;
    let why: string | undefined;
    worker.on("message", async (message: UnitMessage) => {
      if (message.kind === "failed") why = message.text;
      else if (message.kind === "takes") {
        taking.add(worker);
        for (const socket of waiting.splice(0)) hand(socket);
        begun += 1;
        if (begun === processes) listen();
      }
      // Of one that has just ended nothing is waited for.
      else if (message.kind === "counted") for (const one of running()) one !== worker && one.send(message, () => {});
      else if (message.kind === "ask metrics") {
        const text = await metrics.clusterMetrics().catch(() => undefined);
        worker.send({ kind: "metrics", ask: message.ask, text } satisfies UnitMessage, () => {});
      }
    });
    worker.once("exit", (code, signal) => {
      taking.delete(worker);
      if (stopping) return;
      const how = why ?? `process ${pid} has ended (${signal ?? `code ${code}`})`;
      if (begun < processes) return fail(new StartError(how));
      const wait = nextWait();
      log.error({ process: pid }, `${how}: another one is started in ${wait} ms`);
      setTimeout(() => stopping || start(), wait);
    });
  };
  for (let number = 0; number < processes; number += 1) start();

  return {
    broken,
    stop: async () => {
      stopping = true;
      // From then on who connects is refused. What has connected was handed over, and what is told comes behind it.
      await untilNoneConnects(() => taken);
      server.close();
      for (const socket of waiting.splice(0)) socket.destroy();
      const ended = running().map((worker) => once(worker, "exit"));
      for (const worker of running()) worker.send({ kind: "end" } satisfies UnitMessage, () => {});
      await Promise.all(ended);
    },
  };
};
