import cluster, { type Worker } from "node:cluster";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import Fastify from "fastify";
import type { MetricObject } from "prom-client";
import { StartError } from "./base/start-error.js";
import type { ServiceConfig } from "./config/options.js";
import type { UnitMessage } from "./config/unit-messages.js";
import { untilNoneConnects } from "./http/closing.js";
import { logOptions } from "./watch/logging.js";
import { createTotals } from "./watch/metrics.js";

/** Milliseconds after which a process that has ended is replaced; each end that follows another doubles them up to the most. */
const [AGAIN_MS, MOST_MS] = [100, 30_000];
/** Milliseconds without an end after which the first wait holds again. */
const CALM_MS = 60_000;
/** Milliseconds that a process has to tell its metrics: one that is busy for longer is in the sums with what it told last. */
const TELL_MS = 1_000;

/** Several processes that share a port, as their primary sees them. */
export interface Unit {
  /** Rejects when a process cannot start before all have once: the others end with the primary. */
  broken: Promise<never>;
  /** Tells all processes to end, and resolves when they have: they finish what they have begun. */
  stop(): Promise<void>;
}

/**
 * Starts processes that share a port, replaces those that end, and passes on what they tell each other. The primary opens no
 * database, each of them does.
 *
 * @param database as the log tells it
 */
export const startUnit = ({ processes, host, port, logLevel }: ServiceConfig, database: string): Unit => {
  cluster.setupPrimary({ serialization: "advanced" });
  const { log } = Fastify(logOptions(logLevel));
  log.info(`events go into ${database}`);
  const totals = createTotals();
  const running = new Set<Worker>();
  let begun = 0;
  let wait = AGAIN_MS;
  let endedAt = Number.NEGATIVE_INFINITY;
  let stopping = false;
  let fail: (error: StartError) => void;
  const broken = new Promise<never>((_, reject) => (fail = reject));

  // Of one that has just ended nothing is waited for.
  const tell = (worker: Worker, message: UnitMessage): void => void worker.send(message, () => {});
  const asked = new Map<number, () => void>();
  let asks = 0;
  const gather = async (): Promise<string> => {
    const first = asks + 1;
    const told = [...running].map((worker) => {
      asks += 1;
      tell(worker, { kind: "ask metrics", ask: asks });
      return new Promise<void>((resolve) => asked.set(asks, resolve));
    });
    const last = asks;
    await Promise.race([Promise.all(told), sleep(TELL_MS)]);
    for (let ask = first; ask <= last; ask += 1) asked.delete(ask);
    return totals.text();
  };

  /** Those that take connections, the next one first; and connections that came when there was none. */
  const taking = new Set<Worker>();
  const waiting: Socket[] = [];
  /**
   * In turn: where processes take connections by themselves, one that wakes first takes all that wait, and keeps them. The cluster's own
   * way would reset, when the last process stops to listen, what it has not handed over yet.
   */
  let taken = 0;
  const hand = (socket: Socket): void => {
    taken += 1;
    const [next] = taking;
    if (next === undefined) return void waiting.push(socket);
    taking.delete(next);
    taking.add(next);
    next.process.send({ kind: "connection" } satisfies UnitMessage, socket, undefined, () => {});
  };
  /** Those that were told to end. The last one that takes connections goes on until another one does, or nobody can connect any more. */
  const leaving = new Set<Worker>();
  const release = (): void => {
    for (const worker of leaving)
      if (!server.listening || !taking.has(worker) || taking.size > 1) {
        taking.delete(worker);
        leaving.delete(worker);
        tell(worker, { kind: "end" });
      }
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
    const pid = worker.process.pid!;
    let why: string | undefined;
    running.add(worker);
    worker.on("message", async (message: UnitMessage) => {
      if (message.kind === "failed") why = message.text;
      else if (message.kind === "counted") for (const one of running) one !== worker && tell(one, message);
      else if (message.kind === "ask totals") tell(worker, { kind: "totals", ask: message.ask, text: await gather() });
      else if (message.kind === "takes") {
        taking.add(worker);
        for (const socket of waiting.splice(0)) hand(socket);
        release();
        begun += 1;
        if (begun === processes) listen();
      } else if (message.kind === "leaves") {
        leaving.add(worker);
        release();
      } else if (message.kind === "metrics" && running.has(worker)) {
        totals.tell(pid, message.metrics as MetricObject[]);
        asked.get(message.ask)?.();
      }
    });
    worker.once("exit", (code, signal) => {
      running.delete(worker);
      taking.delete(worker);
      leaving.delete(worker);
      totals.end(pid);
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
      // From then on who connects is refused. What has connected was handed over, and what is told comes behind it.
      await untilNoneConnects(() => taken);
      server.close();
      for (const socket of waiting.splice(0)) socket.destroy();
      const ended = [...running].map((worker) => new Promise((resolve) => worker.once("exit", resolve)));
      for (const worker of running) leaving.add(worker);
      release();
      await Promise.all(ended);
    },
  };
};
