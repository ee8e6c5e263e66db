/** The examples of docs/server.md, each executed as it stands against the service. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ROOT } from "../support/launch.js";
import { blocksOf } from "../support/readme.js";
import { type OwnService, startService } from "../support/service.js";

let service: OwnService;
beforeAll(async () => {
  service = await startService({ TRACKLET_API_TOKEN: "api-token", TRACKLET_ACCESS_TOKEN: "access-token" });
});
afterAll(() => service?.dispose());

const examples = (await blocksOf("docs/server.md")).filter(({ language }) => language === "js");
/** What some of them print. */
const PRINTED: Record<string, RegExp> = {
  "List users": /10 of 137/,
  Errors: /^not found: .+/,
  "Test your own code": /^contact-001\n$/,
};

it.each(examples)('runs as it stands under "$section"', async ({ section, code }) => {
  const program = code.replaceAll(/"tracklet\/(\w+)"/g, (_, name) => JSON.stringify(`${ROOT}src/${name}.ts`));
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    ["--import", "tsx", "--input-type=module", "--eval", program],
    {
      cwd: ROOT,
      env: {
        PATH: process.env.PATH,
        TRACKLET_BASE_URL: service.url,
        TRACKLET_TRACK_URL: service.url,
        TRACKLET_ACCESS_TOKEN: "access-token",
        TRACKLET_API_TOKEN: "api-token",
      },
    },
  );
  expect(stderr).toBe("");
  expect(stdout).toMatch(PRINTED[section] ?? /^/);
});

it("has stored what the examples send", async () => {
  const sent = ["contact-001", "contact-002", "contact-003"].map(service.rows);
  expect((await Promise.all(sent)).map((events) => events.map(({ event_uid }) => event_uid))).toEqual([
    ["invoice_paid"],
    ["export_finished"],
    ["report_viewed"],
  ]);
});
