import { rm } from "node:fs/promises";
import { dataFolder } from "./data-folder.js";
import { launchService } from "./launch.js";
import { freePort } from "./ports.js";

/** An event as the service's database holds it. */
export interface Row {
  /** Sorts as the events were stored. */
  id: string;
  received_at: number | string;
  contact_uid: string;
  event_uid: string;
  params: Record<string, unknown>;
}

/** A service that runs, and what it has stored. */
export interface Service {
  url: string;
  /** The stored events of one contact, in the order of their storing. */
  rows: (contactUid: string) => Promise<Row[]>;
}

/** A service that runs at this address, whoever started it. */
export const serviceAt = (url: string): Service => ({
  url,
  rows: async (contactUid) => {
    const query = new URLSearchParams({ contact_uid: contactUid, limit: "10000" });
    const response = await fetch(`${url}/demo/events?${query}`);
    if (!response.ok) throw new Error(`the service answered ${response.status}: ${await response.text()}`);
    const { events } = (await response.json()) as { events: Row[] };
    return events.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  },
});

/** A service that a test has started. */
export type OwnService = Awaited<ReturnType<typeof startService>>;

/**
 * Starts the project's own service as a process, with a database folder and a port of its own. No rate limit, so that a
 * burst of one test is not refused for another's.
 *
 * @param env more of its environment, or other values
 */
export const startService = async (env: Record<string, string> = {}) => {
  const data = await dataFolder();
  const port = await freePort();
  const settings = { TRACKLET_SERVICE_PORT: String(port), TRACKLET_DATA: data, TRACKLET_RATE_LIMIT: "0" };
  const launched = launchService({ ...settings, ...env });
  /** Ends it and removes its data. */
  const dispose = async (): Promise<void> => {
    await launched.end();
    await rm(data, { recursive: true, force: true, maxRetries: 5 });
  };
  await launched.says(/service ready at http/).catch(async (error: unknown) => {
    await dispose();
    throw error;
  });
  return {
    ...serviceAt(`http://127.0.0.1:${port}`),
    /** The folder of its database. */
    data,
    dispose,
  };
};
