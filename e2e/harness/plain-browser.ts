import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { launch } from "../../test/support/launch.js";
import { CHROMIUM_ARGS } from "./chromium.js";

/** Opens a page in a browser without a test driver: a driven one never prerenders. Its pages tell what they see by requests. */
export const openPlainBrowser = async (
  executablePath: string,
  url: string,
): Promise<{ close: () => Promise<void> }> => {
  const profile = await mkdtemp(join(tmpdir(), "tracklet-plain-"));
  const args = ["--headless=new", "--remote-debugging-port=0", `--user-data-dir=${profile}`, ...CHROMIUM_ARGS, url];
  const browser = launch(executablePath, args);
  return {
    close: async () => {
      await browser.end();
      await rm(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
};
