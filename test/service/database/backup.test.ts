import { chmod, cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { dataFolder } from "../../support/data-folder.js";
import { type RunningService, startService } from "../support/running-service.js";
import { spawnService } from "../support/service-process.js";

const store = async (service: RunningService) => {
  for (let number = 0; number < 20; number += 1)
    await service.post({ contact_uid: `contact-${number % 3}`, event_uid: `kept-${number}`, params: { number } });
};
const everything = async (service: RunningService) => ({
  events: (await (await service.get("/v2/events?limit=10000")).json()).data,
  users: (await (await service.get("/v2/users?limit=100")).json()).data,
  contact: await (await service.get("/v2/contacts?uid=contact-001")).json(),
});

it("restores a database from a copy of its folder", async () => {
  const folder = await dataFolder();
  const service = await startService({ dataFolder: folder, hasRecords: true });
  await store(service);
  const before = await everything(service);
  await service.close();
  const copy = await mkdtemp(join(tmpdir(), "tracklet-backup-"));
  // Where the administrator copies it, the copy is the administrator's, whom PostgreSQL refuses: it is given away.
  await cp(folder, copy, { recursive: true });
  await rm(folder, { recursive: true });
  const restored = await startService({ dataFolder: copy });
  expect(await everything(restored)).toEqual(before);
  await restored.stop();
  if (process.getuid?.() === 0) {
    await chmod(copy, 0o755);
    const other = spawnService({ TRACKLET_DATA: copy }, undefined, ["setpriv", "--reuid=65534", "--clear-groups"]);
    const line =
      /^service: the database in .+ belongs to the user with the id \d+, and this process runs as 65534: .+\n$/;
    expect(await other.closed).toMatchObject({ code: 1, stderr: expect.stringMatching(line) });
  }
  await rm(copy, { recursive: true });
});
