import { rm } from "node:fs/promises";
import { DEMO_TOKENS } from "../../src/service/config/defaults.mjs";
import { spawnService } from "../service/support/service-process.js";
import { dataFolder } from "./data-folder.js";

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
export const serviceAt = (url: string, accessToken: string = DEMO_TOKENS.accessToken): Service => ({
  url,
  rows: async (contactUid) => {
    const query = new URLSearchParams({ contact_uid: contactUid, limit: "10000" });
    const headers = { authorization: `Bearer ${accessToken}` };
    const response = await fetch(`${url}/v2/events?${query}`, { headers });
    if (!response.ok) throw new Error(`the service answered ${response.status}: ${await response.text()}`);
    return ((await response.json()) as { data: Row[] }).data;
  },
});

/** A service that a test has started. */
export type OwnService = Awaited<ReturnType<typeof startService>>;

/**
 * Starts the project's own service as a process, with a database folder and a port of its own, in its demo mode and unlimited.
 *
 * @param env more of its environment, or other values
 */
export const startService = async (env: Record<string, string> = {}) => {
  const data = await dataFolder();
  const service = spawnService({ TRACKLET_DATA: data, ...env });
  /** Ends it and removes its data. */
  const dispose = async (): Promise<void> => {
    await service.end();
    await rm(data, { recursive: true, force: true, maxRetries: 5 });
  };
  const url = await service.ready().catch(async (error: unknown) => {
    await dispose();
    throw error;
  });
  return {
    ...serviceAt(url, env.TRACKLET_ACCESS_TOKEN),
    /** The folder of its database. */
    data,
    dispose,
  };
};
