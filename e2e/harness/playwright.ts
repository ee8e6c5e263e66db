import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BrowserType, LaunchOptions } from "playwright/test";
import type { Found } from "../../test/support/engines.js";
import type { Guard } from "./guard.js";
import type { Open } from "./tab.js";

/**
 * Firefox under Playwright ends as a whole when the process of a page dies: it is told so by a variable, which this program
 * takes away again.
 */
const withoutShutdown = async (folder: string, firefox: string): Promise<string> => {
  const program = join(folder, "firefox");
  await writeFile(program, `#!/bin/sh\nunset MOZ_CRASHREPORTER_SHUTDOWN\nexec "${firefox}" "$@"\n`);
  await chmod(program, 0o755);
  return program;
};

/** Starts a browser that Playwright drives. */
export const startPlaywright = async (
  type: BrowserType,
  { by, options }: { by: Found["by"]; options: LaunchOptions },
) => {
  const folder = await mkdtemp(join(tmpdir(), "tracklet-engine-"));
  const browser = await type.launch({
    ...options,
    ...(by === "bidi"
      ? { channel: "moz-firefox", executablePath: await withoutShutdown(folder, options.executablePath!) }
      : { ignoreDefaultArgs: ["--disable-back-forward-cache"] }),
  });
  return {
    /** Begins a visit: a storage of its own. */
    begin: async (guard: Guard) => {
      const context = await browser.newContext();
      guard.watch(context);
      const open: Open = async (url) => {
        const page = await context.newPage();
        if (url !== undefined) await page.goto(url);
        return page;
      };
      return { open, end: () => context.close() };
    },
    close: async (): Promise<void> => {
      await browser.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
};
