/** What has happened since the panel was opened, and what the browser still knows of the time before. */
import { type Answer, createAnswers } from "./answers.js";
import { globalOf } from "./found.js";
import { readEvent, readStored } from "./stored.js";

export interface View {
  at: number;
  url: string;
}

/** Why requests have no answer: the page's policy, a service that does not allow the page, or none that is there. */
export type Silence = "unknown" | "policy" | "cors" | "unreachable";

export interface Heard {
  answers: Answer[];
  views: View[];
  /** Problems that `onError` was told of, the last of each kind. */
  problems: Map<string, string>;
  /** Events that wait for consent, in memory. */
  pending: number;
  /** The last event was dropped for want of consent, which the visitor's stored choice does not explain. */
  isDenied: boolean;
  /** Was there any request, before or since? */
  hasRequests: boolean;
  /** Address of the last request, without its query. */
  address: string;
  silence: Silence;
}

/** More than a panel can show. */
const KEPT = 20;
/** The browser tells of a violation about when a request fails: a moment more, and it surely has. Milliseconds. */
const VIOLATION_MS = 250;

const keep = <T>(list: T[], item: T): void => {
  list.unshift(item);
  list.length = Math.min(list.length, KEPT);
};

const withoutQuery = (url: string): string => url.replace(/[?#].*/, "");

/** Does anything answer there, whoever may read it? */
const isAnswering = (address: string): Promise<boolean> =>
  fetch(address, { mode: "no-cors", credentials: "omit", referrerPolicy: "origin", cache: "no-store" }).then(
    () => true,
    () => false,
  );

/**
 * Listens to a tracker and to the browser.
 *
 * @param guess the address of the service, until a request has shown it
 * @param changed called after each change
 * @returns what was heard, which goes on changing; what finds a tracker that has come meanwhile; and what ends the listening
 */
export const listen = (
  name: string,
  guess: string,
  changed: () => void,
): { heard: Heard; find: () => void; end: () => void } => {
  const answers = createAnswers();
  const heard: Heard = {
    answers: answers.list,
    views: [],
    problems: new Map(),
    pending: 0,
    isDenied: false,
    hasRequests: false,
    address: guess,
    silence: "unknown",
  };
  /** Since when the tracker is heard, as it may come after the panel. */
  let begun = Number.POSITIVE_INFINITY;
  /** Events that were queued since then. */
  const queued = new Set<string>();

  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as (PerformanceResourceTiming & { responseStatus?: number })[]) {
      if (!/[?&]api_token=/.test(entry.name)) continue;
      heard.hasRequests = true;
      heard.address = withoutQuery(entry.name);
      // Later ones are told by the tracker, with their event.
      if (entry.responseEnd < begun && entry.responseStatus !== undefined)
        answers.record(entry.responseEnd, entry.responseStatus);
    }
    changed();
  });
  observer.observe({ type: "resource", buffered: true });

  let violatedAt = Number.NEGATIVE_INFINITY;
  const onViolation = ({ effectiveDirective, blockedURI }: SecurityPolicyViolationEvent): void => {
    if (effectiveDirective !== "connect-src" || !(heard.address || blockedURI).startsWith(withoutQuery(blockedURI)))
      return;
    heard.address ||= blockedURI;
    heard.silence = "policy";
    violatedAt = performance.now();
    changed();
  };
  document.addEventListener("securitypolicyviolation", onViolation);

  const explain = (): void => {
    setTimeout(async () => {
      if (!navigator.onLine || !heard.address || performance.now() - violatedAt < 10 * VIOLATION_MS) return;
      heard.silence = (await isAnswering(heard.address)) ? "cors" : "unreachable";
      changed();
    }, VIOLATION_MS);
  };

  let isListening = true;
  const listener = (code: string | number, detail: string): void => {
    if (!isListening) return;
    const at = performance.now();
    const event = readEvent(detail);
    if (typeof code === "number") {
      heard.hasRequests = true;
      answers.tell({ at, status: code, event: event?.event ?? "" }, !queued.has(detail));
      if (code === 0) explain();
    } else if (event) {
      heard.isDenied = false;
      queued.add(detail);
      if (code === "pending") heard.pending++;
      if (event.event === "pageview") keep(heard.views, { at, url: event.visitUrl });
    } else if (code === "dropped") heard.isDenied = detail === "consent" && readStored(name).consent !== "denied";
    else heard.problems.set(code, detail);
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
    heard,
    find,
    end: () => {
      isListening = false;
      observer.disconnect();
      document.removeEventListener("securitypolicyviolation", onViolation);
    },
  };
};
