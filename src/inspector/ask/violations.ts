/** What the page's policy has forbidden, and not only reported: before the panel was opened, which only Chromium tells, and since. */
import { keep } from "../watch/visible.js";

export interface Violation {
  /** Such as `script-src-elem`. */
  directive: string;
  /** Address of what was forbidden; `"inline"` for what stands in the page. */
  url: string;
  /** The policy, word for word. */
  policy: string;
}

/**
 * Keeps them in `found`, each once, the latest first.
 *
 * @param changed called after each that is new
 * @returns what ends the watching
 */
export const watchViolations = (found: Violation[], changed: () => void): (() => void) => {
  const note = (directive = "", url = "", policy = "", disposition = ""): void => {
    if (disposition === "report" || found.some((other) => other.url === url && other.directive === directive)) return;
    keep(found, { directive, url, policy });
    changed();
  };
  const onViolation = (event: SecurityPolicyViolationEvent): void =>
    note(event.effectiveDirective, event.blockedURI, event.originalPolicy, event.disposition);
  document.addEventListener("securitypolicyviolation", onViolation);
  const onReports = (reports: unknown): void => {
    for (const { body } of reports as { body: Record<string, string | undefined> }[])
      note(body.effectiveDirective, body.blockedURL, body.originalPolicy, body.disposition);
  };
  const options = { types: ["csp-violation"], buffered: true };
  const observer = typeof ReportingObserver === "undefined" ? undefined : new ReportingObserver(onReports, options);
  observer?.observe();
  return () => {
    observer?.disconnect();
    document.removeEventListener("securitypolicyviolation", onViolation);
  };
};
