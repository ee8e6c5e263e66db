/** Listens to a tracker for what the panel tells. */
import { attempt } from "../../shared/attempt.js";
import { createActivity } from "./activity.js";
import { watchCalls } from "./calls.js";
import { recall } from "./remembered.js";
import { readEvent } from "./stored.js";
import { globalOf } from "./tags.js";
import { KEPT } from "./visible.js";
import { watchWire } from "./wire.js";

/** Of the time between two looks, no more than this is taken for quiet, in milliseconds. */
const LOOK_MS = 1_000;
/** A row of no tracker, since theirs would listen; as long as that of an event often is. */
const PROBE = ["tracklet-inspector", "x".repeat(1_000)] as const;

/** Does the storage take one more event? A row is written, and removed at once. */
const takesMore = (): boolean =>
  !!attempt(() => {
    localStorage.setItem(...PROBE);
    localStorage.removeItem(PROBE[0]);
    return true;
  });

/**
 * @param changed called after each change; `true` where a request had no answer, or one that leads elsewhere
 * @returns what has happened, an object that goes on changing; the listener that the tracker is given; what is called with each look,
 * which also finds a tracker that has come meanwhile; and what ends the listening
 */
export const listen = (name: string, changed: (isOdd?: boolean) => void) => {
  const activity = createActivity(recall(name));
  const { told } = activity;
  let isListening = true;

  const note = (code: string, detail: string): void => {
    const details = told.get(code) ?? new Set();
    if (details.size < KEPT) told.set(code, details.add(detail));
  };
  const noteEvent = (code: string, contact: string): void => {
    Object.assign(activity, { queued: activity.queued + 1, contact });
    activity.isUnstored = code !== "pending" && !takesMore();
    told.delete("dropped");
  };
  /** An event comes as its JSON, options as they were given. */
  const listener = (code: string | number, detail: unknown): void => {
    if (!isListening) return;
    activity.quietMs = 0;
    const event = readEvent(`${detail}`);
    if (code === "options") activity.options = detail;
    else if (typeof code === "string") {
      calls.tell(event ? code : `${code}: ${detail}`);
      if (event) noteEvent(code, event.contact);
      else note(code, `${detail}`);
    }
    changed();
  };
  const calls = watchCalls(activity, listener);
  const endWire = watchWire(activity, changed);

  let lookedAt = performance.now();
  let isFound = false;
  const find = (): void => {
    const found = globalOf(name);
    if (found && !isFound) {
      isFound = true;
      activity.quietMs = 0;
      activity.isUnstored = !takesMore();
      found.push(["debug", listener]);
    }
    if (found && !Array.isArray(found)) calls.begin(found);
  };
  find();

  return {
    activity,
    listener,
    /** Where the panel looks seldom, the page is busy: that is no time in which nothing happens. */
    noteLook: (): void => {
      find();
      const now = performance.now();
      activity.quietMs += Math.min(now - lookedAt, LOOK_MS);
      lookedAt = now;
    },
    end: (): void => {
      isListening = false;
      endWire();
      calls.end();
    },
  };
};
