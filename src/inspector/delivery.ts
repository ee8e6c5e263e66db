/** Whether anything can leave the page, and why no request may have been made. */
import { isConfiguration } from "./answer.js";
import { denialOf } from "./consent.js";
import type { Heard } from "./heard.js";
import { configures } from "./options.js";
import type { Seen } from "./seen.js";
import type { Stored } from "./stored.js";

/** A request is given up sooner, in milliseconds: an event that waits longer, without a pause, was never under way. */
const STUCK_MS = 20_000;

/** Has the tracker, as far as it can be seen, what it needs to send? */
const isAble = (seen: Seen, stored: Stored, heard: Heard): boolean => {
  const { tag, global, isOnline } = seen;
  const isComplete = !configures(tag) || !!(tag.apiToken && tag.trackUrl);
  return global === "running" && isComplete && isOnline && !denialOf(seen, stored, heard);
};

/** Does an event wait for no visible reason? Its address is missing then: the options of a call of `init` are not to be seen. */
export const isStuck = (seen: Seen, stored: Stored, heard: Heard): boolean =>
  isAble(seen, stored, heard) && !heard.hasRequests && stored.pauseMs === 0 && stored.readyMs > STUCK_MS;

export const nextAttempt = (seen: Seen, stored: Stored, heard: Heard): string => {
  if (!isAble(seen, stored, heard)) return "none, as things are";
  if (stored.pauseMs > 0) {
    const seconds = `in ${Math.ceil(stored.pauseMs / 1_000)} s`;
    return heard.answers.some(({ status }) => isConfiguration(status))
      ? `${seconds}; a corrected page delivers at once when it is loaded`
      : seconds;
  }
  if (stored.isThere && stored.readyMs === 0)
    return stored.eventCount > 0 ? "once somebody is identified" : "once there is something to send";
  return heard.hasRequests ? "at once" : "none yet";
};

/** Why no request may have been made by a tracker that is able to. */
export const noRequest = ({ tag, hasGpc }: Seen, { contact, consent, eventCount, pauseMs }: Stored): string => {
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
