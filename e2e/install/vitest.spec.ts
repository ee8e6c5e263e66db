import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { askForApp } from "../apps/builder.js";
import { test } from "../harness/fixtures.js";
import { DEMO_TOKEN } from "../harness/tag.js";

/* An app's own tests, run by Vitest in jsdom and in happy-dom, which are no browsers. */

// It may wait until the frameworks are installed, behind the apps that are built.
test.describe.configure({ timeout: 1_200_000 });

test("What components track in an app's own tests, in jsdom and in happy-dom is stored, and nothing is warned of", async ({
  gateway,
  contact,
  expectRows,
}) => {
  const cwd = await askForApp("vitest");
  await promisify(execFile)(process.execPath, [join(cwd, "../node_modules/vitest/vitest.mjs"), "run"], {
    cwd,
    env: {
      ...process.env,
      NODE_OPTIONS: "",
      VITE_TRACKLET_TOKEN: DEMO_TOKEN,
      VITE_TRACKLET_URL: gateway.url,
      VITE_CONTACT: contact,
    },
  });
  await expectRows(["jsdom", "happy-dom"].flatMap(() => ["pageview", "signed_up", "pageview"]));
});
