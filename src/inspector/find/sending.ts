/** Whether anything can leave the page, and why no request may have been made. */

import type { Activity } from "../watch/activity.js";
import { isMixed } from "../watch/address.js";
import type { Snapshot } from "../watch/snapshot.js";
import type { Stored } from "../watch/stored.js";
import { denialOf, isPending } from "./consent.js";
import { optionsOf } from "./options.js";
import { isConfiguration } from "./service.js";

/** So much quiet, in milliseconds, says that something is missing; in a page that still loads, more does. */
const QUIET_MS = 5_000;
const LOADING_MS = 20_000;
/** An event that could be sent for so long, and that no request is under way for, is stuck. */
const STUCK_MS = 20_000;

/** Is it too early to miss anything? On a slow machine a script, a call or a request may be under way for seconds. */
export const isEarly = ({ isLoaded }: Snapshot, { quietMs }: Activity): boolean =>
  quietMs < (isLoaded ? QUIET_MS : LOADING_MS);

/** Has the tracker what it needs to send? */
const isAble = (snapshot: Snapshot, stored: Stored, activity: Activity): boolean => {
  const { apiToken, trackUrl } = optionsOf(snapshot, activity);
  return (
    snapshot.global === "running" &&
    !!(apiToken && trackUrl) &&
    snapshot.isOnline &&
    !isMixed(activity.address, snapshot.origin) &&
    !isPending(snapshot, stored, activity) &&
    !denialOf(snapshot, stored, activity)
  );
};

/** Does an event wait for no visible reason? A request is given up sooner: it was never under way. */
export const isStuck = (snapshot: Snapshot, stored: Stored, activity: Activity): boolean =>
  isAble(snapshot, stored, activity) && !activity.hasRequests && stored.pauseMs === 0 && stored.readyMs > STUCK_MS;

export const nextAttempt = (snapshot: Snapshot, stored: Stored, activity: Activity): string => {
  if (isPending(snapshot, stored, activity)) return "once the visitor agrees";
  if (!isAble(snapshot, stored, activity)) return "none, as things are";
  if (stored.pauseMs > 0) {
    const seconds = `in ${Math.ceil(stored.pauseMs / 1_000)} s`;
    return activity.answers.some(({ status }) => isConfiguration(status))
      ? `${seconds}; a corrected page delivers when it is loaded, 8 s after the last attempt`
      : seconds;
  }
  if (stored.isThere && stored.readyMs === 0)
    return stored.events.some(({ contact }) => !contact)
      ? "once somebody is identified"
      : "once there is something to send";
  return activity.hasRequests ? "at once" : "none yet";
};

/** Why no request may have been made by a tracker that is able to. */
export const noRequest = (snapshot: Snapshot, { contact, eventCount, pauseMs }: Stored, activity: Activity): string => {
  const { beforeSend } = optionsOf(snapshot, activity);
  const reasons = [
    !contact && "nobody is identified",
    pauseMs > 0 && 'an earlier page has failed to send, and it is too early for another attempt ("Send now" makes one)',
    eventCount === 0 && "nothing was tracked",
    eventCount === 0 && beforeSend && "beforeSend has dropped it",
  ].filter((reason) => typeof reason === "string");
  return `No request has been seen yet${reasons.length > 0 ? `: perhaps ${reasons.join(", or ")}` : ""}.`;
};
