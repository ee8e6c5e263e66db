/** What goes over the wire: since the panel was opened word for word, before that what the browser has recorded. */
import { attempt } from "../../shared/attempt.js";
import { urlOf } from "../../shared/option-values.js";
import type { Activity, Exchange } from "./activity.js";
import { readEvent } from "./stored.js";
import { KEPT, short, wordsOf } from "./visible.js";

const UNHEARD = { isHeard: false, sent: [], words: "", from: "" };

const tokenIn = (url: string): string => attempt(() => new URL(url, location.href).searchParams.get("api_token")) ?? "";

/** Without its fragment, which is never sent. */
const bare = (url: string): string => url.replace(/#.*/, "");

/** A request of this tracker: to its URL, or, where something on the way changes that, by its token. */
const isOwn = ({ options }: Activity, url: string): boolean => {
  const { apiToken = tokenIn(url) } = (options ?? {}) as { apiToken?: unknown };
  const own = options ? urlOf(options as never) : undefined;
  return (!!own && bare(own) === bare(url)) || (tokenIn(url) !== "" && tokenIn(url).trim() === `${apiToken}`.trim());
};

const keep = ({ exchanges }: Activity, exchange: Exchange): Exchange => {
  exchanges.push(exchange);
  exchanges.sort((one, other) => other.at - one.at).splice(KEPT);
  return exchange;
};

/** What is sent: one event or several. */
const requestOf = (body: string): Exchange => ({
  ...UNHEARD,
  at: Date.now(),
  status: -1,
  isHeard: true,
  answerType: "",
  sent: [attempt(() => JSON.parse(body))].flat().flatMap((event) => readEvent(event) ?? []),
});

/** Stands in front of `fetch`, and lets everything through as it is. @returns what ends that */
const watchFetch = (activity: Activity): (() => void) => {
  const own = window.fetch;
  const text = Function.prototype.toString.call(own);
  activity.ownFetch = /\[native code\]\s*\}$/.test(text) ? "" : short(text, 120);
  const watched = async (...args: Parameters<typeof fetch>): Promise<Response> => {
    const [address, options = {}] = args;
    if (typeof address !== "string" || !isOwn(activity, address)) return own.apply(window, args);
    const exchange = keep(activity, requestOf(`${options.body}`));
    try {
      const answer = await own.apply(window, args);
      const { headers, url } = answer;
      exchange.answerType = headers.get("Content-Type") ?? "";
      // A browser may have made `https` of `http`.
      const scheme = /^https?:/;
      exchange.from = url && bare(url).replace(scheme, "") !== bare(address).replace(scheme, "") ? url : "";
      exchange.words = wordsOf(await answer.clone().text());
      // As the tracker takes it: a redirect that is not followed has no status, nor has an answer that nobody may read.
      exchange.status = answer.status || (answer.type === "opaque" ? 200 : 302);
      return answer;
    } catch (error) {
      exchange.status = 0;
      throw error;
    } finally {
      exchange.at = Date.now();
    }
  };
  window.fetch = watched;
  return () => {
    if (window.fetch === watched) window.fetch = own;
  };
};

/** Not every browser tells status and type. */
type Timing = PerformanceResourceTiming & { contentType?: string };

export const watchWire = (activity: Activity): (() => void) => {
  const opened = performance.now();
  const end = watchFetch(activity);
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as Timing[]) {
      const { name, startTime, responseEnd, responseStatus: status, contentType: answerType = "" } = entry;
      if (!isOwn(activity, name)) continue;
      activity.isRecorded = true;
      activity.passedWorker ||= entry.workerStart > 0;
      if (status === undefined || startTime >= opened) continue;
      keep(activity, { ...UNHEARD, at: performance.timeOrigin + responseEnd, status, answerType });
    }
  });
  observer.observe({ type: "resource", buffered: true });
  return () => {
    observer.disconnect();
    end();
  };
};
