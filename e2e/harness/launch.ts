import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BrowserContext, chromium } from "playwright/test";
import { waitFor } from "../../test/support/wait.js";
import { CHROMIUM_ARGS } from "./chromium.js";
import type { Guard } from "./guard.js";
import { commandMs } from "./strain.js";

export interface LaunchOptions {
  /** A profile folder from an earlier launch; its storage is found again. Default: a fresh one. */
  profile?: string;
  executablePath?: string | undefined;
  /** Arguments of the browser. */
  args?: string[];
}

export type OwnBrowser = Awaited<ReturnType<typeof launchBrowser>>;

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

/** The process id of the browser itself, told by the browser. */
const browserPid = async (context: BrowserContext): Promise<number> => {
  const browser = context.browser();
  if (browser === null) throw new Error("this context has no browser");
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  await session.detach();
  const pid = processInfo.find(({ type }) => type === "browser")?.id;
  if (pid === undefined) throw new Error("the browser does not tell its process id");
  return pid;
};

/** Starts a browser of the test's own, with a profile on disk. */
export const launchBrowser = async (
  guard: Guard,
  { profile, executablePath, args = CHROMIUM_ARGS }: LaunchOptions = {},
) => {
  const folder = profile ?? (await mkdtemp(join(tmpdir(), "tracklet-profile-")));
  const context = await chromium.launchPersistentContext(folder, {
    ...(executablePath === undefined ? {} : { executablePath }),
    args,
    slowMo: commandMs,
  });
  guard.watch(context);
  const pid = await browserPid(context);
  let closed = false;
  context.on("close", () => {
    closed = true;
  });

  return {
    context,
    /** The page that the browser opened with. */
    page: context.pages()[0] ?? (await context.newPage()),
    /** The profile folder, for the next `launch`. */
    profile: folder,
    /** Ends it as a user does; what it has stored is written. */
    close: async (): Promise<void> => {
      // The driver ends a browser without telling its pages; one whose tabs are closed by hand does tell them.
      const pages = context.pages();
      await context.newPage();
      for (const page of pages) await page.close();
      await context.close();
      // The profile is locked until the process is gone.
      await waitFor(() => !isAlive(pid), { what: "the browser's process to end" });
    },
    dispose: async (): Promise<void> => {
      if (!closed) await context.close();
      if (profile === undefined) await rm(folder, { recursive: true, force: true, maxRetries: 5 }).catch(() => {});
    },
  };
};
