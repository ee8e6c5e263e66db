import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BrowserContext, chromium, type Page } from "playwright/test";
import { waitFor } from "../../test/support/wait.js";
import { CHROMIUM_ARGS } from "./chromium.js";
import type { Guard } from "./guard.js";

export interface LaunchOptions {
  /** A profile folder from an earlier launch; its storage is found again. Default: a fresh one. */
  profile?: string;
  /** `true`: pages may enter the back/forward cache, which the test driver otherwise turns off. Default `false`. */
  backForwardCache?: boolean;
  /** More arguments of the browser. */
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

/**
 * The process id of the renderer of a page. No interface tells it, but trace events carry it: the page leaves a mark,
 * and the mark's event is looked for.
 */
const rendererPid = async (page: Page): Promise<number> => {
  const session = await page.context().newCDPSession(page);
  const mark = `here-${crypto.randomUUID()}`;
  let pid: number | undefined;
  session.on("Tracing.dataCollected", ({ value }) => {
    for (const event of value as { name?: string; pid?: number }[]) if (event.name === mark) pid = event.pid;
  });
  await session.send("Tracing.start", {
    transferMode: "ReportEvents",
    traceConfig: { includedCategories: ["blink.user_timing"] },
  });
  await page.evaluate((name) => performance.mark(name), mark);
  const complete = new Promise((resolve) => session.once("Tracing.tracingComplete", resolve));
  await session.send("Tracing.end");
  await complete;
  await session.detach();
  if (pid === undefined) throw new Error("the page's renderer left no mark");
  return pid;
};

/** Starts a browser of the test's own, with a profile on disk. */
export const launchBrowser = async (
  guard: Guard,
  executablePath: string | undefined,
  { profile, backForwardCache = false, args = [] }: LaunchOptions = {},
) => {
  const folder = profile ?? (await mkdtemp(join(tmpdir(), "tracklet-profile-")));
  const context = await chromium.launchPersistentContext(folder, {
    ...(executablePath === undefined ? {} : { executablePath }),
    args: [...CHROMIUM_ARGS, ...args],
    ...(backForwardCache ? { ignoreDefaultArgs: ["--disable-back-forward-cache"] } : {}),
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
    /** Ends the whole browser with SIGKILL: what it has not written is lost. */
    kill: async (): Promise<void> => {
      process.kill(pid, "SIGKILL");
      await waitFor(() => closed && !isAlive(pid), { what: "the killed browser to be gone" });
    },
    /** Ends the renderer of one page with SIGKILL; the browser and pages in other renderers live on. */
    killRenderer: async (page: Page): Promise<void> => {
      const renderer = await rendererPid(page);
      const crashed = page.waitForEvent("crash");
      process.kill(renderer, "SIGKILL");
      await crashed;
    },
    /** The process id of a page's renderer, to tell whether two pages share one. */
    rendererPid,
    dispose: async (): Promise<void> => {
      if (!closed) await context.close();
      if (profile === undefined) await rm(folder, { recursive: true, force: true, maxRetries: 5 }).catch(() => {});
    },
  };
};
