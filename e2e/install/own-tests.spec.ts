import { execFile } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { test } from "../harness/fixtures.js";
import { DEMO_TOKEN } from "../harness/tag.js";

/* An app's own tests, by the runners that apps use. What docs/testing.md shows are files of these projects. */

const APPS = fileURLToPath(new URL("../apps", import.meta.url));
const PLAYWRIGHT = fileURLToPath(new URL("../../node_modules/playwright/cli.js", import.meta.url));

/** Runs the tests of a project beside the apps; rejects with what the runner says, where one fails. */
const runTests = (project: string, args: string[], env: Record<string, string> = {}): Promise<unknown> =>
  promisify(execFile)(process.execPath, args, {
    cwd: join(APPS, project),
    env: { ...process.env, NODE_OPTIONS: "", ...env },
  });

test("What components track in an app's own tests, in jsdom and in happy-dom, is stored or recorded, and nothing is warned of", async ({
  gateway,
  contact,
  expectRows,
}) => {
  const env = { VITE_TRACKLET_TOKEN: DEMO_TOKEN, VITE_TRACKLET_URL: gateway.url, VITE_CONTACT: contact };
  await runTests("vitest", ["../node_modules/vitest/vitest.mjs", "run"], env);
  await expectRows(["jsdom", "happy-dom"].flatMap(() => ["pageview", "signed_up", "pageview"]));
});

test("The same is recorded by Jest, and by Playwright's runner, of a click that leaves a page that knows of no test", async ({
  site,
  launchOptions,
}) => {
  await runTests("jest", ["../node_modules/jest/bin/jest.js", "--rootDir=."]);

  const body = `<a href="/team" onclick='tracklet.track("signed_up", { plan: "team" })'>Sign up</a>`;
  site.page("/", { body, identify: "ann", tag: { trackUrl: "http://localhost:4319" } });
  site.page("/team", { tag: false, identify: false });
  await runTests("playwright", [PLAYWRIGHT, "test"], {
    APP_URL: site.url,
    LAUNCH_OPTIONS: JSON.stringify(launchOptions),
  });
});
