import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { spawnService } from "../service/service-process.js";

export const API_TOKEN = "tést-☃-api-token";
export const ACCESS_TOKEN = "test-access-token";

/** An event as the service has stored it. */
export interface StoredEvent {
  contact_uid: string;
  event_uid: string;
  params: Record<string, unknown>;
}

/** The project's own service: a process of its own over an empty folder, with the demo's records. */
export const startService = async (environment: Record<string, string> = {}) => {
  const folder = await mkdtemp(join(tmpdir(), "tracklet-contract-"));
  const service = spawnService({
    TRACKLET_DATA: folder,
    TRACKLET_API_TOKEN: API_TOKEN,
    TRACKLET_ACCESS_TOKEN: ACCESS_TOKEN,
    TRACKLET_RATE_LIMIT: "0",
    ...environment,
  });
  const url = await service.ready();
  return {
    url,
    /** What it has stored of a contact. */
    events: async (contactUid: string): Promise<StoredEvent[]> => {
      const answer = await fetch(`${url}/demo/events?contact_uid=${encodeURIComponent(contactUid)}`);
      return ((await answer.json()) as { events: StoredEvent[] }).events;
    },
    stop: async (): Promise<void> => {
      await service.stop("SIGTERM");
      await rm(folder, { recursive: true, force: true });
    },
  };
};

export type Service = Awaited<ReturnType<typeof startService>>;
