import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { beforeAll } from "vitest";
import { runCommand } from "../../../src/service/commands/cli.js";
import { readConfig } from "../../../src/service/config/read-config.js";
import { AT_ONCE } from "./bounds.js";
import type { Place } from "./places.js";
import { type RunningService, startService } from "./running-service.js";

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

  /** What a command writes to stdout and stderr. @throws what it fails with */
  const runAt = async (at: Place, ...args: string[]): Promise<{ out: string; err: string }> => {
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    const [out, err] = [text(stdout), text(stderr)];
    try {
      await runCommand(args, { ...readConfig({}), ...at, workspaces: [SHOP] }, { stdout, stderr, bounds: AT_ONCE });
    } finally {
      stdout.end();
      stderr.end();
    }
    return { out: await out, err: await err };
  };

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
