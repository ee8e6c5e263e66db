/** What has happened since the panel was opened, and what the browser still knows of the time before. */
import { globalOf } from "./found.js";
import { readEvent, readStored } from "./stored.js";

export interface Answer {
  /** Milliseconds since the page began. */
  at: number;
  /** 0: there was none. */
  status: number;
  /** `""` where only the browser's own record tells of the request. */
  event: string;
}

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
 * @returns what was heard, which goes on changing, and what ends the listening
 */
export const listen = (name: string, guess: string, changed: () => void): [heard: Heard, end: () => void] => {
  const heard: Heard = {
    answers: [],
    views: [],
    problems: new Map(),
    pending: 0,
    isDenied: false,
    hasRequests: false,
    address: guess,
    silence: "unknown",
  };
  const begun = performance.now();

  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as (PerformanceResourceTiming & { responseStatus?: number })[]) {
      if (!/[?&]api_token=/.test(entry.name)) continue;
      heard.hasRequests = true;
      heard.address = withoutQuery(entry.name);
      // Later ones are told by the tracker, with their event.
      if (entry.responseEnd < begun && entry.responseStatus !== undefined)
        keep(heard.answers, { at: entry.responseEnd, status: entry.responseStatus, event: "" });
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
      keep(heard.answers, { at, status: code, event: event?.event ?? "" });
      if (code === 0) explain();
    } else if (event) {
      heard.isDenied = false;
      if (code === "pending") heard.pending++;
      if (event.event === "pageview") keep(heard.views, { at, url: event.visitUrl });
    } else if (code === "dropped") heard.isDenied = detail === "consent" && readStored(name).consent !== "denied";
    else heard.problems.set(code, detail);
    changed();
  };
  globalOf(name)?.push(["debug", listener]);

  return [
    heard,
    () => {
      isListening = false;
      observer.disconnect();
      document.removeEventListener("securitypolicyviolation", onViolation);
    },
  ];
};
