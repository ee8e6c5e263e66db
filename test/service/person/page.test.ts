import { execFile, execFileSync } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { dataFolder } from "../../support/data-folder.js";
import { blocksOf } from "../../support/readme.js";
import { AT_ONCE } from "../support/bounds.js";
import { type RunningService, startService } from "../support/running-service.js";

const hasCurl = (() => {
  try {
    execFileSync("curl", ["--version"]);
    return true;
  } catch {
    return false;
  }
})();

let service: RunningService;
beforeAll(async () => {
  service = await startService({ adminToken: "test-admin-token", bounds: AT_ONCE });
});
afterAll(() => service.stop());

it.skipIf(!hasCurl)("the requests on the page for the operator do what it says", async () => {
  for (const contact_uid of ["contact-001", "contact-002"])
    await service.post({ contact_uid, event_uid: "bought", params: { plan: "team", email: "a@b.c" } });
  const blocks = (await blocksOf("docs/service/admin.md")).filter(({ code }) => code.includes("curl "));
  expect(blocks.length).toBeGreaterThan(0);
  const cwd = await dataFolder();
  const env = { PATH: process.env.PATH, TRACKLET_BASE_URL: service.url, TRACKLET_ADMIN_TOKEN: "test-admin-token" };
  const said = new Map<string, string>();
  for (const { section, code } of blocks) {
    const { stdout } = await promisify(execFile)("sh", ["-ec", code], { cwd, env });
    said.set(section, stdout);
  }
  expect(said.get("One person")).toBe('{"object":"erasure","events":1}'.repeat(2));
  expect(said.get("Accounts and contacts")).toContain('"unique_id":"acme"');
  expect(await (await service.get("/v2/accounts?uid=acme")).json()).toMatchObject({
    ...{ data: { plan: "team" }, stage: { id: "1", name: "Trial" }, salesmachine: { health: 80 } },
    contacts: { total: 1 },
  });
  expect((await service.events("contact-001")).rows).toEqual([]);
});
