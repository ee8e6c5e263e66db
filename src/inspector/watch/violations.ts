/** What the page's policy has forbidden before the panel was opened. Only Chromium keeps reports for those who ask late. */

export interface Violation {
  /** Such as `script-src-elem`. */
  directive: string;
  /** Address of what was forbidden; `"inline"` for what stands in the page. */
  url: string;
}

/** How long the browser may take to tell, in milliseconds. */
export const VIOLATION_MS = 100;

export const readViolations = async (): Promise<Violation[]> => {
  if (typeof ReportingObserver === "undefined") return [];
  const found: Violation[] = [];
  const observer = new ReportingObserver(
    (reports) => {
      for (const { body } of reports as unknown as { body: { effectiveDirective?: string; blockedURL?: string } }[])
        found.push({ directive: body.effectiveDirective ?? "", url: body.blockedURL ?? "" });
    },
    { types: ["csp-violation"], buffered: true },
  );
  observer.observe();
  await new Promise((resolve) => setTimeout(resolve, VIOLATION_MS));
  observer.disconnect();
  return found;
};

/** Does the policy stop scripts that stand in the page, or one of them? */
export const stopsInline = (violations: readonly Violation[]): boolean =>
  violations.some(({ directive, url }) => directive.startsWith("script-src") && url === "inline");
