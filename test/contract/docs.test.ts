/** The examples of docs/server.md, each executed as it stands against the service. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { blocksOf } from "../support/readme.js";
import { type OwnService, startService } from "../support/service.js";
import { runProgram } from "./node-program.js";

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
  const { exitCode, stdout, stderr } = await runProgram(code, {
    TRACKLET_BASE_URL: service.url,
    TRACKLET_TRACK_URL: service.url,
    TRACKLET_ACCESS_TOKEN: "access-token",
    TRACKLET_API_TOKEN: "api-token",
  });
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
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
