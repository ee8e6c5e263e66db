import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CHROMIUM_ARGS } from "../harness/chromium.js";
import { waitFor } from "../harness/wait.js";

const ADDRESS = /DevTools listening on ws:\/\/([^/]+)/;

export type PlainBrowser = Awaited<ReturnType<typeof openPlainBrowser>>;

/**
 * Opens a page in a browser without a test driver: a driven one never prerenders, and shows every tab as visible. Its
 * pages report by themselves; all that can be done from outside is to open a tab and to bring one to the front.
 */
export const openPlainBrowser = async (executablePath: string, url: string) => {
  const profile = await mkdtemp(join(tmpdir(), "tracklet-plain-"));
  const args = ["--headless=new", "--remote-debugging-port=0", `--user-data-dir=${profile}`, ...CHROMIUM_ARGS, url];
  const child = spawn(executablePath, args, { stdio: ["ignore", "ignore", "pipe"] });
  const killAtExit = () => void child.kill("SIGKILL");
  process.on("exit", killAtExit);
  let said = "";
  child.stderr.on("data", (chunk: Buffer) => {
    if (said.length < 100_000) said += chunk.toString("utf8");
  });
  const [, address] = await waitFor(() => ADDRESS.exec(said), { what: "the browser to say its address" });

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
      process.off("exit", killAtExit);
      const exited = once(child, "exit");
      if (child.kill("SIGKILL")) await exited;
      await rm(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
};
