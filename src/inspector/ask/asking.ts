/** When the panel asks by itself: once for a script that has not run, and at the service's address where an answer is missing. */
import type { Activity } from "../watch/activity.js";
import { lookAtScript } from "./script.js";
import { lookAtService } from "./service.js";
import { watchViolations } from "./violations.js";

/** The browser tells of a violation about when a request fails: a moment more, and it surely has. Milliseconds. */
const VIOLATION_MS = 250;
/** Between two looks at a service, in milliseconds. */
const REST_MS = 5_000;

/** @param changed called once something was found out */
export const createAsking = (activity: Activity, changed: () => void) => {
  let examined: HTMLScriptElement | undefined;
  let askedAt = Number.NEGATIVE_INFINITY;

  const askService = async (address: string): Promise<void> => {
    await new Promise((resolve) => setTimeout(resolve, VIOLATION_MS));
    if (!navigator.onLine || activity.violations.some(({ directive }) => directive === "connect-src")) return;
    activity.service = await lookAtService(address);
    changed();
  };

  return {
    /** Of a script that has not run, when the page has loaded. */
    script: (tag: HTMLScriptElement | undefined): void => {
      if (!tag?.src || tag === examined || document.readyState !== "complete") return;
      examined = tag;
      lookAtScript(tag).then((found) => {
        activity.script = found;
        changed();
      });
    },
    service: (address: string): void => {
      if (!address || performance.now() - askedAt < REST_MS) return;
      askedAt = performance.now();
      askService(address).catch(() => {});
    },
    end: watchViolations(activity.violations, changed),
  };
};
