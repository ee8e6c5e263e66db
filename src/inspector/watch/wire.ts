/** What goes over the wire: since the panel was opened word for word, before that what the browser has recorded. */
import type { Activity, Exchange } from "./activity.js";
import { readEvent } from "./stored.js";
import { KEPT, short, wordsOf } from "./visible.js";

const UNHEARD = {
  ...{ isHeard: false, event: "", visitUrl: "", length: 0, token: "", type: "" },
  ...{ answerType: "", words: "", retryAfter: "" },
};

const tokenIn = (url: string): string => new URL(url, location.href).searchParams.get("api_token") ?? "";

/** A request of this tracker, as far as its token is known, whatever its address is. */
const isOwn = ({ options }: Activity, url: string): boolean => {
  const { apiToken = tokenIn(url) } = (options ?? {}) as { apiToken?: unknown };
  return tokenIn(url) !== "" && tokenIn(url).trim() === `${apiToken}`.trim();
};

/** How the function begins that the page has put in place of the browser's `fetch`. */
export const readOwnFetch = (): string => {
  const text = Function.prototype.toString.call(window.fetch);
  return /\[native code\]\s*\}$/.test(text) ? "" : short(text, 120);
};

const keep = ({ exchanges }: Activity, exchange: Exchange): Exchange => {
  exchanges.push(exchange);
  exchanges.sort((one, other) => other.at - one.at).splice(KEPT);
  return exchange;
};

/** What is sent: one event or several. */
const requestOf = (address: string, { body, headers }: RequestInit): Exchange => ({
  ...UNHEARD,
  at: Date.now(),
  status: -1,
  isHeard: true,
  event: [...`${body}`.matchAll(/"event_uid":"([^"]*)"/g)].map(([, name]) => name).join(", "),
  visitUrl: readEvent(`${body}`)?.visitUrl ?? "",
  length: `${body}`.length,
  token: tokenIn(address),
  type: new Headers(headers).get("Content-Type") ?? "",
});

/** Stands in front of `fetch`, and lets everything through as it is. @returns what ends that */
const watchFetch = (activity: Activity, changed: (isOdd?: boolean) => void): (() => void) => {
  const own = window.fetch;
  const watched = async (...args: Parameters<typeof fetch>): Promise<Response> => {
    const [address, options = {}] = args;
    if (typeof address !== "string" || !isOwn(activity, address)) return own.apply(window, args);
    const exchange = keep(activity, requestOf(address, options));
    changed();
    try {
      const answer = await own.apply(window, args);
      exchange.answerType = answer.headers.get("Content-Type") ?? "";
      exchange.retryAfter = answer.headers.get("Retry-After") ?? "";
      exchange.words = wordsOf(await answer.clone().text());
      // As the tracker takes it: a redirect that is not followed has no status, nor has an answer that nobody may read.
      exchange.status = answer.status || (answer.type === "opaque" ? 200 : 302);
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
      const { name, startTime, responseEnd, responseStatus: status, contentType: answerType = "" } = entry;
      if (!isOwn(activity, name)) continue;
      activity.isRecorded = true;
      activity.passedWorker ||= entry.workerStart > 0;
      activity.address = name.replace(/[?#].*/, "");
      if (status === undefined || startTime >= opened) continue;
      keep(activity, { ...UNHEARD, at: performance.timeOrigin + responseEnd, status, answerType });
    }
    changed();
  });
  observer.observe({ type: "resource", buffered: true });
  return () => {
    observer.disconnect();
    end();
  };
};
