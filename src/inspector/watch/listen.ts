/** Listens to a tracker for what the panel tells. */
import { createActivity } from "./activity.js";
import { watchCalls } from "./calls.js";
import { createMemory } from "./memory.js";
import { recall } from "./remembered.js";
import { readConsent, readEvent } from "./stored.js";
import { globalOf } from "./tags.js";
import { KEPT, keep } from "./visible.js";
import { watchWire } from "./wire.js";

/** Of the time between two looks, no more than this is taken for quiet, in milliseconds. */
const LOOK_MS = 1_000;

/**
 * @param changed called after each change; `true` where a request had no answer, or one that leads elsewhere
 * @returns what has happened, an object that goes on changing; the listener that the tracker is given; what finds a tracker that has come
 * meanwhile; what is called with each look; and what ends the listening
 */
export const listen = (name: string, changed: (isOdd?: boolean) => void) => {
  const activity = createActivity(recall(name));
  const { dropped, problems, views } = activity;
  const memory = createMemory(name, activity);
  let isListening = true;

  const count = (): void => void memory.count().then(() => changed());
  const tellEvent = (code: string, body: string): void => {
    const { event, contact, visitUrl } = readEvent(body)!;
    Object.assign(activity, { queued: activity.queued + 1, isDenied: false, contact });
    memory.noteQueued(code, body);
    if (event !== "pageview") return;
    keep(views, { at: performance.now(), url: visitUrl });
    activity.viewCount++;
  };
  const noteProblem = (code: string, detail: string): void => {
    const details = problems.get(code) ?? new Set();
    if (details.size < KEPT) problems.set(code, details.add(detail));
  };
  /** An event comes as its JSON, options as they were given. */
  const listener = (code: string | number, detail: unknown): void => {
    if (!isListening) return;
    activity.quietMs = 0;
    if (code === "options") activity.options = detail;
    else if (typeof code === "number") setTimeout(count);
    else if (typeof detail === "string" && readEvent(detail)) tellEvent(code, detail);
    else if (code === "dropped" && detail === "consent") activity.isDenied = readConsent(name) !== "denied";
    else if (code === "dropped") dropped.set(`${detail}`, (dropped.get(`${detail}`) ?? 0) + 1);
    else noteProblem(code, `${detail}`);
    if (typeof code === "string" && code !== "options") calls.tell(code === "queued" ? "taken" : `${code}: ${detail}`);
    if (/options|pending|queued/.test(`${code}`)) count();
    changed();
  };
  const calls = watchCalls(name, activity, listener);
  const endWire = watchWire(activity, changed);

  let lookedAt = performance.now();
  let isFound = false;
  let isWatched = false;
  const find = (): void => {
    const found = globalOf(name);
    if (found && !isFound) {
      isFound = true;
      activity.quietMs = 0;
      memory.begin();
      found.push(["debug", listener]);
    }
    if (!found || isWatched || Array.isArray(found)) return;
    isWatched = true;
    calls.begin();
  };
  find();

  return {
    activity,
    listener,
    find,
    /** The panel looks at everything. Where it looks seldom, the page is busy: that is no time in which nothing happens. */
    noteLook: (): void => {
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
