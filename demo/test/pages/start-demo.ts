import { rm } from "node:fs/promises";
import { expect } from "playwright/test";
import { dataFolder } from "../../../test/support/data-folder.js";
import { launch } from "../../../test/support/launch.js";
import { freePort } from "../../../test/support/ports.js";
import { type Row, serviceAt } from "../../../test/support/service.js";
import { RECORDS, type Visitor } from "../../records/records.js";

export type Contact = Visitor;

/** Starts the demo as `npm start` does, on ports and a data folder of its own. */
export const startDemo = async () => {
  const data = await dataFolder();
  const [site, service] = [await freePort(), await freePort()];
  const env = { TRACKLET_SITE_PORT: `${site}`, TRACKLET_SERVICE_PORT: `${service}`, TRACKLET_DATA: data };
  const demo = launch(process.execPath, ["demo/start/start.mjs"], { env });
  const [, tag] = await demo.says(/(<script[\s\S]*<\/script>)[\s\S]*Ctrl-C/);
  const serviceUrl = `http://127.0.0.1:${service}`;
  let given = 0;
  return {
    service: serviceUrl,
    site: `http://127.0.0.1:${site}`,
    /** The script tag that is printed, for pages of one's own. */
    tag: tag!,
    /** A contact that no other test acts as. */
    contact: (): Contact => RECORDS.visitors[given++]!,
    /** What was made before is nobody's. */
    rows: async ({ uid }: Contact): Promise<Row[]> =>
      (await serviceAt(serviceUrl).rows(uid)).filter(({ params }) => params.made !== true),
    /** Sends an event past every page. */
    post: async ({ uid, accounts }: Contact, event_uid: string, params: object = {}) => {
      const answer = await fetch(`${serviceUrl}/v1/track/event?api_token=demo-api-token`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ contact_uid: uid, event_uid, params: { account_uid: accounts[0]?.uid, ...params } }),
      });
      expect(answer.status).toBe(200);
    },
    stop: async () => {
      await demo.end("SIGTERM");
      await rm(data, { recursive: true, force: true, maxRetries: 5 });
    },
  };
};
export type Demo = Awaited<ReturnType<typeof startDemo>>;
