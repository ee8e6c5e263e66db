/** What has happened since the panel was opened, and what the browser still knows of the time before. */
import { type Answer, createAnswers } from "./answers.js";
import { isOfTracker, type Silence, watchSilence, withoutQuery } from "./silence.js";
import { readConsent, readEvent } from "./stored.js";
import { globalOf } from "./trackers.js";

export interface View {
  at: number;
  url: string;
}

export interface Activity {
  answers: Answer[];
  views: View[];
  /** Details of the problems that `onError` was called with, by their code. */
  problems: Map<string, Set<string>>;
  /** What the tracker was configured with, where it tells a listener that comes. */
  options: unknown;
  /** Events that wait for consent, in memory. */
  pending: number;
  /** The last event was dropped for want of consent, which the visitor's stored choice does not explain. */
  isDenied: boolean;
  /** Was there any request, before or since? */
  hasRequests: boolean;
  /** Address of the last request, without its query. */
  address: string;
  silence: Silence;
  /** The last good answer was a web page: it comes from something else than the service. Only Chromium tells. */
  isWebPage: boolean;
  /** Why the script has not loaded, in words; `""` while that is not known. */
  script: string;
}

/** More than a panel can show. */
const KEPT = 20;

const keep = <T>(list: T[], item: T): void => {
  list.unshift(item);
  list.length = Math.min(list.length, KEPT);
};

/** Of a problem of each kind the last few details, each once. */
const keepDetail = (details: Set<string> = new Set(), detail: string): Set<string> =>
  new Set([...details, detail].slice(-KEPT));

/** Not every browser tells status and type. */
type Timing = PerformanceEntry & { responseEnd: number; responseStatus?: number; contentType?: string };

/**
 * Listens to a tracker and to the browser.
 *
 * @param guess the address of the service, until a request has shown it
 * @param changed called after each change
 * @returns what has happened, an object that goes on changing; the listener that the tracker is given; what finds a tracker that has come
 * meanwhile; and what ends the listening
 */
export const listen = (name: string, guess: string, changed: () => void) => {
  const answers = createAnswers();
  const activity: Activity = {
    answers: answers.list,
    views: [],
    problems: new Map(),
    options: undefined,
    pending: 0,
    isDenied: false,
    hasRequests: false,
    address: guess,
    silence: "unknown",
    isWebPage: false,
    script: "",
  };
  /** Since when the tracker reports to the panel: it may come after the panel. */
  let begun = Number.POSITIVE_INFINITY;
  /** Events that were queued since then. */
  const queued = new Set<string>();

  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as Timing[]) {
      if (!isOfTracker(entry.name)) continue;
      activity.hasRequests = true;
      activity.address = withoutQuery(entry.name);
      if (entry.responseStatus === 200) activity.isWebPage = entry.contentType === "text/html";
      // The tracker reports later ones, with their event.
      if (entry.responseEnd < begun && entry.responseStatus !== undefined)
        answers.record(entry.responseEnd, entry.responseStatus);
    }
    changed();
  });
  observer.observe({ type: "resource", buffered: true });

  const silence = watchSilence((reason, address) => {
    activity.silence = reason;
    activity.address ||= address;
    changed();
  });

  let isListening = true;
  /** An event comes as its JSON, options as they were given. */
  const listener = (code: string | number, detail: unknown): void => {
    if (!isListening) return;
    const at = performance.now();
    const event = typeof detail === "string" ? readEvent(detail) : undefined;
    if (typeof code === "number") {
      activity.hasRequests = true;
      answers.tell({ at, status: code, event: event?.event ?? "" }, !queued.has(`${detail}`));
      if (code === 0) silence.explain(activity.address);
    } else if (event) {
      activity.isDenied = false;
      queued.add(`${detail}`);
      if (/^(pending|waits for consent)$/.test(code)) activity.pending++;
      if (event.event === "pageview") keep(activity.views, { at, url: event.visitUrl });
    } else if (code === "options") activity.options = detail;
    else if (code === "dropped") activity.isDenied = detail === "consent" && readConsent(name) !== "denied";
    else activity.problems.set(code, keepDetail(activity.problems.get(code), `${detail}`));
    changed();
  };
  const find = (): void => {
    const found = globalOf(name);
    if (!found || Number.isFinite(begun)) return;
    begun = performance.now();
    found.push(["debug", listener]);
  };
  find();

  return {
    activity,
    listener,
    find,
    end: () => {
      isListening = false;
      observer.disconnect();
      silence.end();
    },
  };
};
