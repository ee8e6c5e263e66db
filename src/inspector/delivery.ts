/** Whether anything can leave the page, and why no request may have been made. */

import type { Activity } from "./activity.js";
import { isConfiguration } from "./answer.js";
import { denialOf } from "./consent.js";
import { configures } from "./options.js";
import type { Snapshot } from "./snapshot.js";
import type { Stored } from "./stored.js";

/** A request is given up sooner, in milliseconds: an event that waits longer, without a pause, was never under way. */
const STUCK_MS = 20_000;

/** Has the tracker, as far as it can be seen, what it needs to send? */
const isAble = (snapshot: Snapshot, stored: Stored, activity: Activity): boolean => {
  const { tag, global, isOnline } = snapshot;
  const isComplete = !configures(tag) || !!(tag.apiToken && tag.trackUrl);
  return global === "running" && isComplete && isOnline && !denialOf(snapshot, stored, activity);
};

/** Does an event wait for no visible reason? Its address is missing then: the panel cannot see the options of a call of `init`. */
export const isStuck = (snapshot: Snapshot, stored: Stored, activity: Activity): boolean =>
  isAble(snapshot, stored, activity) && !activity.hasRequests && stored.pauseMs === 0 && stored.readyMs > STUCK_MS;

export const nextAttempt = (snapshot: Snapshot, stored: Stored, activity: Activity): string => {
  if (!isAble(snapshot, stored, activity)) return "none, as things are";
  if (stored.pauseMs > 0) {
    const seconds = `in ${Math.ceil(stored.pauseMs / 1_000)} s`;
    return activity.answers.some(({ status }) => isConfiguration(status))
      ? `${seconds}; a corrected page delivers at once when it is loaded`
      : seconds;
  }
  if (stored.isThere && stored.readyMs === 0)
    return stored.eventCount > 0 ? "once somebody is identified" : "once there is something to send";
  return activity.hasRequests ? "at once" : "none yet";
};

/** Why no request may have been made by a tracker that is able to. */
export const noRequest = ({ tag, hasGpc }: Snapshot, { contact, consent, eventCount, pauseMs }: Stored): string => {
  const isKnown = configures(tag);
  const reasons = [
    !contact && "nobody is identified",
    consent !== "granted" && (!isKnown || (tag.consent ?? "granted") !== "granted") && "there is no consent",
    !isKnown && hasGpc && "respectGpc obeys the browser's Global Privacy Control signal",
    !isKnown && "init was given no apiToken or no trackUrl",
    pauseMs > 0 && "an earlier page has failed to send, and it is too early for another attempt",
    eventCount === 0 && "nothing was tracked",
  ].filter((reason) => typeof reason === "string");
  return `No request has been seen yet${reasons.length > 0 ? `: perhaps ${reasons.join(", or ")}` : ""}.`;
};
