import { beforeAll } from "vitest";
import type { Place } from "./places.js";
import { type RunningService, startService } from "./running-service.js";
import { runTold } from "./told-command.js";

const RECORDS = { hasRecords: true };
/** A second workspace, which commands know by the environment. */
export const SHOP = { name: "shop", apiToken: "shop-api-token", accessToken: "shop-access-token" };
export const DAY = 86_400_000;
export const TODAY = Math.floor(Date.now() / DAY) * DAY;

/** The command line at a place, with the demo's records and four events; to be called where tests are declared. */
export const commandsAt = (place: () => Place) => {
  const withService = async (work: (service: RunningService) => Promise<void>, options = {}) => {
    const service = await startService({ ...place(), workspaces: [SHOP], ...options });
    try {
      await work(service);
    } finally {
      await service.close();
    }
  };

  const runAt = (at: Place, ...args: string[]) => runTold({ ...at, workspaces: [SHOP] }, ...args);

  beforeAll(() =>
    withService(async (service) => {
      const exact = `{"big":1e400, "text":"a\\u0000\\"b",\n"lines":"ä,☃"}`;
      await service.post(`{"contact_uid":"anna, \\"A\\"","event_uid":"=1+1","params":${exact}}`);
      await service.post({
        contact_uid: "ben",
        event_uid: "bought",
        params: { account_uid: "acme", occurred_at: TODAY - 29 * DAY },
      });
      await service.post({ contact_uid: "contact-001", event_uid: "seen", params: { occurred_at: TODAY - 31 * DAY } });
      await service.post({ contact_uid: "ben", event_uid: "theirs" }, {}, `?api_token=${SHOP.apiToken}`);
    }, RECORDS),
  );

  return { withService, runAt, run: (...args: string[]) => runAt(place(), ...args) };
};
