/** When the panel asks by itself: for a script that has not come, and at the service's address where an answer is missing or odd. */
import type { Activity, Violation } from "../watch/activity.js";
import { keep } from "../watch/visible.js";
import { lookAtFrames, lookAtScript, lookAtService } from "./own-requests.js";

/** The browser tells of a violation about when a request fails: a moment more, and it surely has. Milliseconds. */
const VIOLATION_MS = 250;
/** Between two looks at a service, in milliseconds. */
const REST_MS = 5_000;
/** A page that has loaded for so long waits for something. Milliseconds. */
const LONG_MS = 5_000;

/** Keeps what the policy has forbidden, and not only reported: before the panel was there Chromium alone tells. @returns what ends that */
const watchViolations = (found: Violation[]): (() => void) => {
  const note = (directive = "", url = "", policy = "", disposition = ""): void => {
    if (disposition === "report" || found.some((other) => other.url === url && other.directive === directive)) return;
    keep(found, { directive, url, policy });
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

export const createAsking = (activity: Activity) => {
  let examined: HTMLScriptElement | undefined | null = null;
  let askedAt = Number.NEGATIVE_INFINITY;

  const askService = async (address: string): Promise<void> => {
    await new Promise((resolve) => setTimeout(resolve, VIOLATION_MS));
    if (!navigator.onLine || activity.violations.some(({ directive }) => directive === "connect-src")) return;
    activity.service = await lookAtService(address);
  };

  return {
    /** Of a script that has not run, or is in no tag, when the page has loaded, or takes long. What hung is asked for again. */
    script: (tag: HTMLScriptElement | undefined): void => {
      const isDue = document.readyState === "complete" || performance.now() > LONG_MS;
      if (tag === examined || !isDue) return;
      examined = tag;
      if (!tag) lookAtFrames().then((found) => (activity.framed = found));
      else if (tag.src)
        lookAtScript(tag).then((found) => {
          activity.script = found;
          if (found.reach === "hangs") examined = null;
        });
    },
    service: (address: string): void => {
      if (!address || performance.now() - askedAt < REST_MS) return;
      askedAt = performance.now();
      askService(address).catch(() => {});
    },
    end: watchViolations(activity.violations),
  };
};
