import type { Page } from "playwright/test";
import type { Problem } from "../../test/support/globals.js";
import type { Site } from "./site.js";
import { DEMO_TOKEN } from "./tag.js";

/** Options of a tracker that an app starts itself. */
export interface ModuleOptions {
  trackUrl: string;
  /** Default: the demo's token. */
  apiToken?: string;
  contactUid?: string | undefined;
  [option: string]: string | number | boolean | undefined;
}

/**
 * A page whose tracker comes from the ES module, as an app has it, and collects what `onError` is told. The global
 * `tracklet` takes calls as the script tag's does.
 */
export const modulePage = (site: Pick<Site, "html">, options: ModuleOptions): string => {
  const config = JSON.stringify({ apiToken: DEMO_TOKEN, pageviews: "off", ...options }).replaceAll("<", "\\u003c");
  return site.html({
    tag: false,
    head: `<script type="module">
      import { init, track } from "/dist/index.js";
      const problems = (window.problems = []);
      init({ ...${config}, onError: (problem) => problems.push(problem) });
    </script>`,
  });
};

/** What this page's `onError` was told so far. */
export const problems = (page: Page): Promise<Problem[]> => page.evaluate(() => window.problems ?? []);
