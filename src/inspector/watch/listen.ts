/** Listens to a tracker, and to the browser, for what the panel tells. */

import { createActivity } from "./activity.js";
import { addressOf } from "./address.js";
import { createAnswers, watchRequests } from "./answers.js";
import { createMemory } from "./memory.js";
import { watchSilence } from "./silence.js";
import { readConsent, readEvent, type Stored } from "./stored.js";
import { globalOf } from "./trackers.js";
import { readViolations, stopsInline } from "./violations.js";

/** In place of details that are no longer kept. */
const MORE = "…";
/** More than a panel can show. */
const KEPT = 20;
/** Of the time between two looks, no more than this is taken for quiet, in milliseconds. */
const LOOK_MS = 1_000;
/** An answer that takes longer than this may never come, in milliseconds. */
const SLOW_MS = 2_000;

const keep = <T>(list: T[], item: T): void => {
  list.unshift(item);
  list.length = Math.min(list.length, KEPT);
};

/** Of a problem of each kind the last few details, each once. */
const keepDetail = (details: Set<string> = new Set(), detail: string): Set<string> => {
  const all = new Set([...details, detail]);
  return all.size > KEPT ? new Set([MORE, ...[...all].slice(1 - KEPT)]) : all;
};

/**
 * Listens to a tracker and to the browser.
 *
 * @param guess the address of the service, until a request has shown it
 * @param changed called after each change
 * @returns what has happened, an object that goes on changing; the listener that the tracker is given; what finds a tracker that has come
 * meanwhile; what is called with each look; what looks for a reason where an answer is missing; and what ends the listening
 */
export const listen = (name: string, guess: string, changed: () => void) => {
  const answers = createAnswers();
  const activity = createActivity(answers.list, guess);
  /** Since when the tracker reports to the panel: it may come after the panel. */
  let begun = Number.POSITIVE_INFINITY;
  /** Events that were queued since then. */
  const queued = new Set<string>();
  const memory = createMemory(name, activity);

  const silence = watchSilence((reason, address) => {
    activity.silence = reason;
    activity.address ||= address;
    changed();
  });
  const endRequests = watchRequests(activity, answers, {
    isTold: (at) => at >= begun,
    lost: (url) => silence.know("hang", url),
    changed,
  });

  let lookedAt = performance.now();
  /** The panel looks at everything. Where it looks seldom, the page is busy: that is no time in which nothing happens. */
  const noteLook = (): void => {
    const now = performance.now();
    activity.quietMs += Math.min(now - lookedAt, LOOK_MS);
    lookedAt = now;
  };

  let isAsked = false;
  /** Asks once why there is no answer to a request that was made before the panel came, or is under way. */
  const doubt = ({ readyMs, pauseMs }: Stored): void => {
    const hasFailed = pauseMs > 0 && answers.list[0]?.status === 0;
    if (isAsked || !(hasFailed || (pauseMs === 0 && readyMs > SLOW_MS))) return;
    isAsked = true;
    silence.explain(activity.address, !hasFailed);
  };

  let isListening = true;
  /** An event comes as its JSON, options as they were given. */
  const listener = (code: string | number, detail: unknown): void => {
    if (!isListening) return;
    activity.quietMs = 0;
    const at = performance.now();
    const event = typeof detail === "string" ? readEvent(detail) : undefined;
    if (typeof code === "number") {
      activity.hasRequests = true;
      answers.tell({ at, status: code, event: event?.event ?? "" }, !queued.has(`${detail}`));
      activity.answerCount = answers.count();
      memory.noteAnswer(code, `${detail}`);
      if (code === 0) silence.explain(activity.address);
    } else if (event) {
      queued.add(`${detail}`);
      activity.queued++;
      activity.isDenied = false;
      activity.contact = event.contact;
      memory.noteQueued(code, `${detail}`);
      if (event.event === "pageview") {
        keep(activity.views, { at, url: event.visitUrl });
        activity.viewCount++;
      }
    } else if (code === "options") {
      const options = detail as { trackUrl?: unknown; consent?: string };
      activity.options = options;
      activity.address ||= addressOf(options);
      memory.count(options.consent).then(changed);
    } else if (code === "dropped" && detail === "consent") activity.isDenied = readConsent(name) !== "denied";
    else if (code === "dropped") activity.dropped.set(`${detail}`, (activity.dropped.get(`${detail}`) ?? 0) + 1);
    else activity.problems.set(code, keepDetail(activity.problems.get(code), `${detail}`));
    changed();
  };
  const find = (): void => {
    const found = globalOf(name);
    if (!found || Number.isFinite(begun)) return;
    begun = performance.now();
    activity.quietMs = 0;
    memory.begin();
    found.push(["debug", listener]);
  };
  find();
  readViolations().then((violations) => {
    activity.stopsInline = stopsInline(violations);
    changed();
  });

  return {
    activity,
    listener,
    find,
    noteLook,
    doubt,
    end: () => {
      isListening = false;
      endRequests();
      silence.end();
    },
  };
};
