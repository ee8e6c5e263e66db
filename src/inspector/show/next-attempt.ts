/** When the next attempt to send comes, in words. */
import type { Evidence } from "../find/evidence.js";

export const nextAttempt = (given: Evidence): string => {
  const { stored, activity, page } = given;
  if (given.isPending) return "once the visitor agrees";
  if (page.global !== "running" || !page.isOnline || given.denial) return "none, as things are";
  if (stored.pauseMs > 0) {
    const { status = 0 } = given.last ?? {};
    const isPaused = status >= 300 && status < 500 && ![408, 425, 429].includes(status);
    const asked = activity.remembered.waitUntil > Date.now() ? ", as the service asked" : "";
    return `in ${Math.ceil(stored.pauseMs / 1_000)} s${asked}${isPaused ? "; a corrected page delivers when it is loaded, 8 s after the last attempt" : ""}`;
  }
  if (stored.isThere && stored.readyMs === 0)
    return stored.events.some(({ contact }) => !contact) ? "once somebody is named" : "once there is something to send";
  return given.hasRequests ? "at once" : "none yet";
};
