import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { launch } from "../../test/support/launch.js";
import { waitFor } from "../../test/support/wait.js";
import { CHROMIUM_ARGS } from "./chromium.js";

const ADDRESS = /DevTools listening on ws:\/\/([^/]+)/;

export type PlainBrowser = Awaited<ReturnType<typeof openPlainBrowser>>;

/**
 * Opens a page in a browser without a test driver: a driven one never prerenders, and shows every tab as visible. Its
 * pages report by themselves; all that can be done from outside is to open a tab and to bring one to the front.
 */
export const openPlainBrowser = async (executablePath: string, url: string) => {
  const profile = await mkdtemp(join(tmpdir(), "tracklet-plain-"));
  const args = ["--headless=new", "--remote-debugging-port=0", `--user-data-dir=${profile}`, ...CHROMIUM_ARGS, url];
  const browser = launch(executablePath, args);
  const [, address] = await browser.says(ADDRESS);

  const ask = async (path: string, method = "GET"): Promise<string> => {
    const response = await fetch(`http://${address}/json/${path}`, { method });
    if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
    return response.text();
  };

  return {
    /** Opens another tab, in front of those that are open. */
    openTab: async (to: string): Promise<void> => void (await ask(`new?${encodeURIComponent(to)}`, "PUT")),
    /** Brings the tab that shows this URL to the front. */
    showTab: async (shown: string): Promise<void> => {
      const tab = await waitFor(
        async () => (JSON.parse(await ask("list")) as { id: string; url: string }[]).find((one) => one.url === shown),
        { what: `a tab that shows ${shown}` },
      );
      await ask(`activate/${tab.id}`);
    },
    close: async (): Promise<void> => {
      await browser.end();
      await rm(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
};
