import { readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { filesOf, readServerFile } from "../../../src/service/database/embedded/folder.js";
import { dataFolder } from "../../support/data-folder.js";
import { basic } from "../support/basic.js";
import type { Place } from "../support/places.js";
import { startPostgres } from "../support/postgres-server.js";
import { spawnService } from "../support/service-process.js";
import { storedEvents } from "../support/stored-events.js";

/** The token of pages, which strangers know, and one of the operator's. */
export const [API_TOKEN, ACCESS_TOKEN] = ["token-of-the-pages", "token-of-the-reports"];

/** What came of an attack. */
export interface Outcome {
  scene: Scene;
  traffic: Traffic;
  /** What else is worth knowing, in a few words. */
  note: string;
  /** What it looked for was wrong, besides what is lost or there twice. */
  isWrong?: boolean;
}

/** A service over an empty database. */
export interface Scene {
  /** The server that is given to it; `undefined` where it has one of its own. */
  given: Awaited<ReturnType<typeof startPostgres>> | undefined;
  /** Where its own PostgreSQL is; `undefined` where one is given. */
  folder: string | undefined;
  place: Place;
  serverPid(): number;
  service(): ReturnType<typeof spawnService>;
  url(): string;
  /** Starts the service; resolves once it is ready. */
  start(environment?: Record<string, string>): Promise<void>;
  /** Another process of the service over the same database. */
  another(
    environment: Record<string, string>,
    through?: readonly string[],
    args?: readonly string[],
  ): ReturnType<typeof spawnService>;
  close(): Promise<void>;
}

interface SceneOptions {
  /** Where its data is. */
  folder?: string;
  /** How a server is started that is given to it. */
  given?: Parameters<typeof startPostgres>[0];
  /** A database that is given to it. */
  databaseUrl?: string;
}

/** @param options Default: the service has a PostgreSQL of its own in a new folder */
export const openScene = async (options: SceneOptions = {}): Promise<Scene> => {
  const given = options.given && (await startPostgres(options.given));
  const databaseUrl = options.databaseUrl ?? given?.url;
  const folder = databaseUrl === undefined ? (options.folder ?? (await dataFolder())) : undefined;
  const place: Record<string, string> =
    databaseUrl === undefined ? { TRACKLET_DATA: folder! } : { DATABASE_URL: databaseUrl };
  let service: ReturnType<typeof spawnService> | undefined;
  let url = "";
  const another: Scene["another"] = (environment, through, args) =>
    spawnService(
      { TRACKLET_API_TOKEN: API_TOKEN, TRACKLET_ACCESS_TOKEN: ACCESS_TOKEN, ...place, ...environment },
      args,
      through,
    );
  return {
    given,
    folder,
    place: { dataFolder: folder ?? "", databaseUrl },
    serverPid: () => readServerFile(filesOf(folder!).cluster)!.pid,
    another,
    service: () => service!,
    url: () => url,
    start: async (environment = {}) => {
      service = another(environment);
      url = await service.ready();
    },
    close: async () => {
      await service?.stop("SIGTERM");
      await given?.stop();
      if (folder !== undefined) await rm(folder, { recursive: true, force: true });
    },
  };
};

/** Ids of the processes that a server has started. */
export const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").map(Number);

const CLIENTS = 16;
/** Milliseconds: longer than the service lets anybody wait. */
const PATIENCE_MS = 40_000;
const PAUSE_MS = 20;

export interface Traffic {
  /** Stamps of the events that were answered with 200. */
  acknowledged: Set<string>;
  /** How often there was each other answer, or none. */
  others: Map<string, number>;
  /** Waits until so many more were answered with 200. */
  more(events: number): Promise<void>;
  /** Sends nothing anew, and ends when all that was sent is answered with 200, or after a while. */
  stop(): Promise<void>;
}

/** Sends an event, once. */
export const post = (url: string, body: string): Promise<number | string> =>
  fetch(`${url}/v1/track/event`, {
    method: "POST",
    headers: { "content-type": "application/json", ...basic(`${API_TOKEN}:`) },
    body,
    signal: AbortSignal.timeout(PATIENCE_MS),
  }).then(
    async (answer) => {
      await answer.arrayBuffer();
      return answer.status;
    },
    () => "none",
  );

/** An event; those of one client are of one contact. */
export const eventOf = (stamp: string, filler = ""): string =>
  JSON.stringify({
    contact_uid: `contact-${stamp.split("-")[0]}`,
    event_uid: "attack",
    params: { event_id: stamp, filler },
  });

/** Clients that send one event after another, each until it is answered with 200. @param phase tells their stamps apart */
export const createTraffic = (scene: Scene, filler = () => "", phase = ""): Traffic => {
  const acknowledged = new Set<string>();
  const others = new Map<string, number>();
  let stopped = Number.POSITIVE_INFINITY;
  const client = async (name: number): Promise<void> => {
    for (let number = 0; Date.now() < stopped; number += 1) {
      const stamp = `${name}-${phase}${number}`;
      for (;;) {
        const answer = await post(scene.url(), eventOf(stamp, filler()));
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
    acknowledged,
    others,
    more: async (events) => {
      for (const from = acknowledged.size; acknowledged.size < from + events; ) await pause(PAUSE_MS);
    },
    stop: async () => {
      stopped = Date.now();
      await clients;
    },
  };
};

export const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

/** The stamps of all events that are stored. */
export const readStored = async ({ place }: Scene): Promise<string[]> =>
  (await storedEvents(place, "attack")).map(({ params }) => String(params.event_id));

/** How many of those that were answered with 200 are not there, and how many are there twice. */
export const readLost = async ({ scene, traffic }: Outcome) => {
  const stored = await readStored(scene);
  const unique = new Set(stored);
  const lost = [...traffic.acknowledged].filter((stamp) => !unique.has(stamp)).length;
  return { stored: stored.length, lost, twice: stored.length - unique.size };
};
