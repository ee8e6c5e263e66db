/*
 * Keeps of this release what the tests of later ones need: a database that it has filled, and the script of pages. With `--released`
 * it writes, besides, what may never change any more: the hashes of the files of the schema. RELEASING.md says when.
 */
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { version } from "../../package.json";
import { runCommand } from "../../src/service/commands/cli.js";
import { readConfig } from "../../src/service/config/options.js";
import { AT_ONCE } from "../service/support/bounds.js";
import { openPlace } from "../service/support/database.js";
import { SHOP } from "../service/support/fixtures.js";
import { startService } from "../service/support/service.js";
import { ROOT } from "../support/launch.js";

const KEPT = join(ROOT, "test/upgrade", version);
const MIGRATIONS = join(ROOT, "src/service/database/migrations");
const place = await openPlace();
const run = (...args: string[]) =>
  runCommand(
    args,
    { ...readConfig({}), ...place, workspaces: [SHOP] },
    { stdout: process.stdout, stderr: process.stderr, bounds: AT_ONCE },
  );
const service = await startService({ ...place, workspaces: [SHOP], bounds: AT_ONCE, hasRecords: true });
for (let number = 0; number < 300; number += 1) {
  const params = {
    account_uid: `account ${number % 100}`,
    visit_url: `https://shop.example/products/${number % 40}`,
    event_id: `kept ${number}`,
  };
  const event = { contact_uid: `contact ${number}`, event_uid: number % 3 > 0 ? "pageview" : `kind ${number % 7}` };
  await service.post({ ...event, params });
  await service.post({ ...event, params }, {}, `?api_token=${SHOP.apiToken}`);
}
await service.close();
for (let number = 0; number < 20; number += 1) await run("erase", `contact ${number}`);
await run("token", "create", "site", "--kind", "api");
await mkdir(KEPT, { recursive: true });
await run("dump", join(KEPT, "database.dump"));
await place.leave();
const script = await readFile(join(ROOT, "dist/tracklet.iife.js"));
await writeFile(join(KEPT, "tracklet.iife.js.gz"), gzipSync(script, { level: 9 }));
if (process.argv.includes("--released")) {
  const hashes: Record<string, string> = {};
  for (const file of await readdir(MIGRATIONS))
    hashes[file] = createHash("sha256")
      .update(await readFile(join(MIGRATIONS, file)))
      .digest("hex");
  await writeFile(join(ROOT, "test/upgrade/released.json"), `${JSON.stringify(hashes, undefined, 2)}\n`);
}
