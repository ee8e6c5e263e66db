import type { ChildProcess } from "node:child_process";
import type { ServiceState, ServiceSwitch } from "../site/switch-routes.js";
import { createOutages } from "./outages.js";
import { serviceReady, spawnService, stopService } from "./service-process.js";
import { restartCommand, type Settings } from "./settings.js";
import { watchService } from "./watch.js";

/** Milliseconds that the service gets to answer that it can store events. */
const READY_MS = 1_000;
/** Milliseconds for which an answer holds: several pages ask each second. */
const FRESH_MS = 300;

/** Can events be stored there? */
const isReady = async (address: string): Promise<boolean> => {
  try {
    const answer = await fetch(`${address}/readyz`, { signal: AbortSignal.timeout(READY_MS) });
    await answer.text();
    return answer.ok;
  } catch {
    return false;
  }
};

/**
 * The service's process, which the demo's pages may stop and start: the real one, so that what they show of an outage is
 * what an outage is.
 */
export const createServiceSwitch = (settings: Settings) => {
  let process: ChildProcess | undefined;
  let address = `http://127.0.0.1:${settings.servicePort}`;
  let change: "starting" | "stopping" | undefined;
  let unwatch = (): void => {};
  let known: Promise<boolean> = Promise.resolve(false);
  let knownAt = Number.NEGATIVE_INFINITY;
  const outages = createOutages();

  const isUp = (): Promise<boolean> => {
    if (performance.now() - knownAt > FRESH_MS) {
      knownAt = performance.now();
      const before = change;
      known = isReady(address).then((up) => {
        // Whoever changes it knows better when that was.
        if (!change && !before) outages.note(up);
        return up;
      });
    }
    return known;
  };
  const runs = (): boolean => process !== undefined && process.exitCode === null && process.signalCode === null;

  const start = async (): Promise<void> => {
    if (change || runs()) return;
    change = "starting";
    try {
      // A port of the system's own choice stays the same.
      const started = spawnService({ ...settings, servicePort: Number(new URL(address).port) });
      process = started;
      started.once("exit", () => outages.note(false));
      address = await serviceReady(started);
      outages.note(true);
      unwatch = watchService(started, address, restartCommand(settings, address));
    } finally {
      change = undefined;
      knownAt = Number.NEGATIVE_INFINITY;
    }
  };
  const stop = async (): Promise<void> => {
    if (!process || !runs() || change === "stopping") return;
    change = "stopping";
    unwatch();
    await stopService(process);
    change = undefined;
    knownAt = Number.NEGATIVE_INFINITY;
  };

  const forPages: ServiceSwitch = {
    state: async (): Promise<ServiceState> => {
      const up = await isUp();
      return {
        state: change ?? (up ? "up" : "down"),
        // One that somebody has started in a terminal is theirs to stop.
        canSwitch: !change && up === runs(),
        outages: outages.list(),
      };
    },
    start: async () => {
      if (await isUp()) return;
      await start().then(
        () => console.log("A page of the demo has started the service. What waited is on its way."),
        (error: Error) => console.error(error.message),
      );
    },
    stop: async () => {
      await stop();
      console.log("A page of the demo has stopped the service. Events now wait in the browser.");
    },
  };

  return {
    start,
    stop,
    address: (): string => address,
    pid: (): number | undefined => process?.pid,
    forPages,
  };
};
