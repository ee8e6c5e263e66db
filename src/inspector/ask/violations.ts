/** What the page's policy has forbidden: before the panel was opened, which only Chromium tells, and since. */
export interface Violation {
  /** Such as `script-src-elem`. */
  directive: string;
  /** Address of what was forbidden; `"inline"` for what stands in the page. */
  url: string;
  /** The policy, word for word. */
  policy: string;
}

interface Body {
  effectiveDirective?: string;
  blockedURL?: string;
  originalPolicy?: string;
}

/**
 * @param tell called with each of them
 * @returns what ends the watching
 */
export const watchViolations = (tell: (violation: Violation) => void): (() => void) => {
  const onViolation = ({ effectiveDirective, blockedURI, originalPolicy }: SecurityPolicyViolationEvent): void =>
    tell({ directive: effectiveDirective, url: blockedURI, policy: originalPolicy });
  document.addEventListener("securitypolicyviolation", onViolation);
  const end = (): void => document.removeEventListener("securitypolicyviolation", onViolation);
  if (typeof ReportingObserver === "undefined") return end;
  const observer = new ReportingObserver(
    (reports) => {
      for (const { body } of reports as unknown as { body: Body }[])
        tell({
          directive: body.effectiveDirective ?? "",
          url: body.blockedURL ?? "",
          policy: body.originalPolicy ?? "",
        });
    },
    { types: ["csp-violation"], buffered: true },
  );
  observer.observe();
  return () => {
    observer.disconnect();
    end();
  };
};
