import { beforeAll } from "vitest";
import { usePlace } from "./over-database.js";
import type { Place } from "./places.js";
import { type RunningService, type StartOptions, startService } from "./running-service.js";
import { runTold } from "./told-command.js";

/** A second workspace, which commands know by the environment. */
export const SHOP = { name: "shop", apiToken: "shop-api-token", accessToken: "shop-access-token" };
export const DAY = 86_400_000;
export const TODAY = Math.floor(Date.now() / DAY) * DAY;

/** The command line at a place, with the demo's records and four events. */
export const useCommands = (place: Place = usePlace()) => {
  const withService = async (work: (service: RunningService) => Promise<unknown>, options: StartOptions = {}) => {
    const service = await startService({ ...place, workspaces: [SHOP], ...options });
    await work(service).finally(service.close);
  };
  const runAt = (at: Place, ...args: string[]) => runTold({ ...at, workspaces: [SHOP] }, ...args);

  beforeAll(() =>
    withService(
      async (service) => {
        const exact = `{"big":1e400, "text":"a\\u0000\\"b",\n"lines":"ä,☃"}`;
        await service.post(`{"contact_uid":"anna, \\"A\\"","event_uid":"=1+1","params":${exact}}`);
        const params = { account_uid: "acme", occurred_at: TODAY - 29 * DAY };
        await service.post({ contact_uid: "ben", event_uid: "bought", params });
        await service.post({
          contact_uid: "contact-001",
          event_uid: "seen",
          params: { occurred_at: TODAY - 31 * DAY },
        });
        await service.post({ contact_uid: "ben", event_uid: "theirs" }, {}, `?api_token=${SHOP.apiToken}`);
      },
      { hasRecords: true },
    ),
  );
  return { place, withService, runAt, run: (...args: string[]) => runAt(place, ...args) };
};
