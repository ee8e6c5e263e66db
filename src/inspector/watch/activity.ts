/** What has happened on a page since the panel was opened, and what the browser still knows of the time before. */
import type { Silence } from "./silence.js";

/** An answer to a request, or that there was none. */
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

export interface Activity {
  /** The last ones, and how many there were. */
  answers: Answer[];
  answerCount: number;
  views: View[];
  viewCount: number;
  /** Details of the problems that `onError` was called with, by their code. */
  problems: Map<string, Set<string>>;
  /** What the tracker was configured with, where it tells a listener that comes. */
  options: unknown;
  /** Events that wait in memory: for consent, or because the storage takes none. */
  inMemory: number;
  /** The contact of the last event that was queued. */
  contact: string;
  /** The last event was dropped for want of consent, which the visitor's stored choice does not explain. */
  isDenied: boolean;
  /** Events that were queued. */
  queued: number;
  /** Events that a hook of the page has dropped, by its name; or `reset`, because nobody is identified since a log-out. */
  dropped: Map<string, number>;
  /** Was there any request, before or since? */
  hasRequests: boolean;
  /** Address of the last request, without its query. */
  address: string;
  /** Milliseconds since the tracker came or told anything, of a page that has the time for it. */
  quietMs: number;
  silence: Silence;
  /** The last good answer was a web page: it comes from something else than the service. Only Chromium tells. */
  isWebPage: boolean;
  /** The last 401 or 403 was a web page: a log-in or a firewall, and not the service. */
  isWall: boolean;
  /** The storage takes no event. */
  isUnstored: boolean;
  /** The page's policy has stopped scripts that stand in the page. Only Chromium tells. */
  stopsInline: boolean;
  /** Why the script has not loaded, in words; `""` while that is not known. */
  script: string;
}

/** @param address of the service, until a request has shown it */
export const createActivity = (answers: Answer[], address: string): Activity => ({
  answers,
  answerCount: 0,
  views: [],
  viewCount: 0,
  problems: new Map(),
  options: undefined,
  inMemory: 0,
  contact: "",
  isDenied: false,
  queued: 0,
  dropped: new Map(),
  hasRequests: false,
  address,
  quietMs: 0,
  silence: "unknown",
  isWebPage: false,
  isWall: false,
  isUnstored: false,
  stopsInline: false,
  script: "",
});
