import type { BrowserContext } from "playwright/test";

export type Guard = ReturnType<typeof createGuard>;

/** Firefox tells of requests that it has refused as if the page had thrown an error. */
const FIREFOX_OWN = /^(Error: )?(Cross-Origin Request Blocked|Content-Security-Policy): /;

/**
 * Collects what goes wrong in pages: uncaught errors, unhandled rejections and calls of `console.error`. The browser's
 * own messages (a failed request, a refused script) are not the page's doing; they are kept apart in `browserMessages`.
 */
export const createGuard = () => {
  const reports: string[] = [];
  const browserMessages: string[] = [];
  const allowed: RegExp[] = [];

  return {
    /** Everything collected so far. */
    reports: reports as readonly string[],
    /** Errors that the browser itself wrote to the console. */
    browserMessages: browserMessages as readonly string[],
    /** Adds a report. */
    report: (text: string): void => void reports.push(text),
    /** Lets reports that match pass; without a pattern all of them: the test then looks at `reports` itself. */
    allow: (pattern: RegExp = /^/): void => {
      allowed.push(pattern);
    },
    /** What was reported and not allowed. */
    objections: (): string[] => reports.filter((report) => !allowed.some((pattern) => pattern.test(report))),
    /** Watches every page of this browser context, present and future. */
    watch: (context: BrowserContext): void => {
      context.on("weberror", (webError) => {
        const error: unknown = webError.error();
        const text = error instanceof Error ? error.stack || error.message : String(error);
        (FIREFOX_OWN.test(text) ? browserMessages : reports).push(`uncaught: ${text}`);
      });
      context.on("console", (message) => {
        if (message.type() !== "error") return;
        // Only messages made by a script have arguments.
        const to = message.args().length > 0 ? reports : browserMessages;
        to.push(`console.error: ${message.text()} (${message.location().url})`);
      });
    },
  };
};
