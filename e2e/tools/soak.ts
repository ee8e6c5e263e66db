/*
 * `npm run soak -- 20`: all browser tests twenty times under each strain; with more arguments, those that Playwright chooses
 * by them (`npm run soak -- 5 e2e/delivery/loss.spec.ts --project=firefox`). At the end of a strain Playwright lists what failed.
 */
import { spawn, spawnSync } from "node:child_process";
import { BUSY_LOOPS, STRAIN, STRAINS } from "../harness/strain.js";

const CLI = new URL("../../node_modules/playwright/cli.js", import.meta.url).pathname;
const [times = "1", ...chosen] = process.argv.slice(2);
const args = [CLI, "test", "--config", "e2e/playwright.config.ts", "--reporter=dot", "--repeat-each", times, ...chosen];

for (const strain of STRAINS) {
  console.log(`\n▶ ${strain}`);
  const count = strain === "busy machine" ? BUSY_LOOPS : 0;
  const loops = Array.from({ length: count }, () => spawn(process.execPath, ["-e", "for (;;);"]));
  const { status } = spawnSync(process.execPath, args, { env: { ...process.env, [STRAIN]: strain }, stdio: "inherit" });
  for (const loop of loops) loop.kill("SIGKILL");
  if (status !== 0) process.exitCode = 1;
}
