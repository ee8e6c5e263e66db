import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { findProgram } from "../../support/engines.js";
import { blocksOf } from "../../support/readme.js";
import { AT_ONCE } from "../support/bounds.js";
import { useFolder, useService } from "../support/fixtures.js";

const cwd = useFolder();
const service = useService({ adminToken: "test-admin-token", bounds: AT_ONCE });

it.skipIf(findProgram("curl") === undefined)("the requests on the page for the operator do what it says", async () => {
  for (const contact_uid of ["contact-001", "contact-002"])
    await service.post({ contact_uid, event_uid: "bought", params: { plan: "team", email: "a@b.c" } });
  const blocks = (await blocksOf("docs/service/admin.md")).filter(({ code }) => code.includes("curl "));
  expect(blocks.length).toBeGreaterThan(0);
  const env = { PATH: process.env.PATH, TRACKLET_BASE_URL: service.url, TRACKLET_ADMIN_TOKEN: "test-admin-token" };
  const said = new Map<string, string>();
  for (const { section, code } of blocks) {
    const { stdout } = await promisify(execFile)("sh", ["-ec", code], { cwd, env });
    said.set(section, stdout);
  }
  expect(said.get("One person")).toBe('{"object":"erasure","events":1}'.repeat(2));
  expect(said.get("Accounts and contacts")).toContain('"unique_id":"acme"');
  expect(await service.json("/v2/accounts?uid=acme")).toMatchObject({
    data: { plan: "team" },
    stage: { id: "1", name: "Trial" },
    salesmachine: { health: 80 },
    contacts: { total: 1 },
  });
  expect((await service.events("contact-001")).rows).toEqual([]);
});
