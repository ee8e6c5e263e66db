import { setTimeout as pause } from "node:timers/promises";
import { storedEvents } from "../support/database.js";
import { startPostgres } from "../support/postgres.js";
import { basic } from "../support/service.js";
import { spawnService } from "../support/service-process.js";

export const API_TOKEN = "token-of-the-pages";

/** What came of an attack. */
export interface Outcome {
  scene: Scene;
  traffic: Traffic;
  /** What else is worth knowing, in a few words. */
  note: string;
  /** What it looked for was wrong, besides what is lost or there twice. */
  isWrong?: boolean;
}

export const openScene = async () => {
  const given = await startPostgres();
  let service: ReturnType<typeof spawnService> | undefined;
  let url = "";
  /** Another process of the service, or a command, over the same database. */
  const another = (environment: Record<string, string> = {}, ...args: string[]) =>
    spawnService(
      { TRACKLET_API_TOKEN: API_TOKEN, DATABASE_URL: given.url, ...environment },
      args.length > 0 ? args : undefined,
    );
  return {
    place: { dataFolder: "", databaseUrl: given.url },
    another,
    service: () => service!,
    url: () => url,
    /** Starts the service; resolves once it is ready. */
    start: async (environment: Record<string, string> = {}) => {
      service = another(environment);
      url = await service.ready();
    },
    close: async () => {
      await service?.stop("SIGTERM");
      await given.stop();
    },
  };
};
/** A service over an empty database. */
export type Scene = Awaited<ReturnType<typeof openScene>>;

const CLIENTS = 16;
/** Milliseconds: longer than the service lets anybody wait. */
const PATIENCE_MS = 40_000;
const PAUSE_MS = 20;

/** Sends an event, once; those of one client are of one contact. */
const post = (url: string, stamp: string): Promise<number | string> =>
  fetch(`${url}/v1/track/event`, {
    method: "POST",
    headers: { "content-type": "application/json", ...basic(`${API_TOKEN}:`) },
    body: JSON.stringify({
      contact_uid: `contact-${stamp.split("-")[0]}`,
      event_uid: "attack",
      params: { event_id: stamp },
    }),
    signal: AbortSignal.timeout(PATIENCE_MS),
  }).then(
    (answer) => answer.arrayBuffer().then(() => answer.status),
    () => "none",
  );

/** Clients that send one event after another, each until it is answered with 200. */
export const createTraffic = (scene: Scene) => {
  const acknowledged = new Set<string>();
  const others = new Map<string, number>();
  let stopped = Number.POSITIVE_INFINITY;
  const client = async (name: number): Promise<void> => {
    for (let number = 0; Date.now() < stopped; number += 1) {
      const stamp = `${name}-${number}`;
      for (;;) {
        const answer = await post(scene.url(), stamp);
        if (answer === 200) break;
        others.set(String(answer), (others.get(String(answer)) ?? 0) + 1);
        if (Date.now() > stopped + PATIENCE_MS) return;
        await pause(PAUSE_MS);
      }
      acknowledged.add(stamp);
    }
  };
  const clients = Promise.all(Array.from({ length: CLIENTS }, (_, name) => client(name)));
  return {
    /** Stamps of the events that were answered with 200. */
    acknowledged,
    /** How often there was each other answer, or none. */
    others,
    /** Waits until so many more were answered with 200. */
    more: async (events: number) => {
      for (const from = acknowledged.size; acknowledged.size < from + events; ) await pause(PAUSE_MS);
    },
    /** Sends nothing anew, and ends when all that was sent is answered with 200, or after a while. */
    stop: async () => {
      stopped = Date.now();
      await clients;
    },
  };
};
type Traffic = ReturnType<typeof createTraffic>;

/** The stamps of all events that are stored. */
export const readStored = async ({ place }: Scene): Promise<string[]> =>
  (await storedEvents(place, "attack")).map(({ params }) => String(params.event_id));
