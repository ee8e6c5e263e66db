/** What goes over the wire: since the panel was opened word for word, before that what the browser has recorded. */
import type { Activity, Exchange } from "./activity.js";
import { readEvent } from "./stored.js";
import { KEPT, short, wordsOf } from "./visible.js";

const EMPTY = { event: "", body: "", token: "", type: "", answerType: "", words: "", retryAfter: "" };

/** A request of a tracker, whatever its address is. */
const isOfTracker = (url: string): boolean => /[?&]api_token=/.test(url);

/** How the function begins that the page has put in place of the browser's `fetch`. */
export const readOwnFetch = (): string => {
  const text = Function.prototype.toString.call(window.fetch);
  return /\[native code\]\s*\}$/.test(text) ? "" : short(text, 120);
};

const keep = (activity: Activity, exchange: Exchange): Exchange => {
  activity.exchanges.push(exchange);
  activity.exchanges.sort((one, other) => other.at - one.at).splice(KEPT);
  activity.exchangeCount++;
  return exchange;
};

/** What the answer is to the tracker: a redirect that is not followed has no status, nor has one that nobody may read. */
const statusOf = ({ status, type }: Response): number => status || (type === "opaque" ? 200 : 302);

/** Stands in front of `fetch`, and lets everything through as it is. @returns what ends that */
const watchFetch = (activity: Activity, changed: (isOdd?: boolean) => void): (() => void) => {
  const own = window.fetch;
  const watched = async (...args: Parameters<typeof fetch>): Promise<Response> => {
    const [address, options = {}] = args;
    if (typeof address !== "string" || !isOfTracker(address)) return own.apply(window, args);
    const exchange = keep(activity, { ...EMPTY, at: performance.now(), status: -1, body: `${options.body}` });
    exchange.event = readEvent(exchange.body)?.event ?? "several";
    exchange.token = new URL(address, location.href).searchParams.get("api_token") ?? "";
    exchange.type = new Headers(options.headers).get("Content-Type") ?? "";
    changed();
    try {
      const answer = await own.apply(window, args);
      exchange.answerType = answer.headers.get("Content-Type") ?? "";
      exchange.retryAfter = answer.headers.get("Retry-After") ?? "";
      exchange.words = wordsOf(await answer.clone().text());
      exchange.status = statusOf(answer);
      return answer;
    } catch (error) {
      exchange.status = 0;
      throw error;
    } finally {
      changed(exchange.status === 0 || exchange.status === 302);
    }
  };
  window.fetch = watched;
  return () => {
    if (window.fetch === watched) window.fetch = own;
  };
};

/** Not every browser tells status and type. */
type Timing = PerformanceResourceTiming & { contentType?: string };

/** @param changed called after each change; `true` where a request had no answer, or one that leads elsewhere */
export const watchWire = (activity: Activity, changed: (isOdd?: boolean) => void): (() => void) => {
  const opened = performance.now();
  const end = watchFetch(activity, changed);
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as Timing[]) {
      const { name, startTime, responseStatus: status, contentType } = entry;
      if (!isOfTracker(name)) continue;
      activity.isRecorded = true;
      activity.passedWorker ||= entry.workerStart > 0;
      activity.address = name.replace(/[?#].*/, "");
      if (status === undefined || startTime >= opened) continue;
      keep(activity, { ...EMPTY, at: entry.responseEnd, status, answerType: contentType ?? "" });
    }
    changed();
  });
  observer.observe({ type: "resource", buffered: true });
  return () => {
    observer.disconnect();
    end();
  };
};
