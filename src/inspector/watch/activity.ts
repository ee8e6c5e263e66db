/** What has happened on a page since the panel was opened, and what the browser and an earlier panel still know of the time before. */
import type { ScriptLook } from "../ask/script.js";
import type { ServiceLook } from "../ask/service.js";
import type { Violation } from "../ask/violations.js";

/** A request, and its answer. */
export interface Exchange {
  /** Milliseconds since the page began. */
  at: number;
  /** -1 while it is under way; 0 where no answer could be read. */
  status: number;
  /** The name of its event; `""` where only the browser's own record tells of the request, as then of all that follows. */
  event: string;
  body: string;
  /** The token in its address, and its `Content-Type`. */
  token: string;
  type: string;
  /** Type and text of the answer, and its `Retry-After`, as far as the page may read them. */
  answerType: string;
  words: string;
  retryAfter: string;
}

export interface Call {
  verb: string;
  args: readonly unknown[];
  /** What the tracker told while it carried the call out, in its own words. */
  became: string;
}

/** What an earlier panel in this tab has seen. */
export interface Remembered {
  /** The last answers, newest first, with their time in epoch milliseconds. */
  answers: { at: number; event: string; status: number; words: string }[];
  /** Until when the service asked to wait, in epoch milliseconds; 0 where it did not. */
  waitUntil: number;
  /** Who was named last. */
  contact: string;
}

export type Activity = ReturnType<typeof createActivity>;

/** @param remembered of before a reload */
export const createActivity = (remembered: Remembered) => ({
  /** Requests and their answers, newest first, and how many there were. */
  exchanges: [] as Exchange[],
  exchangeCount: 0,
  /** The calls that were made since the panel was opened, newest first. */
  calls: [] as Call[],
  views: [] as { at: number; url: string }[],
  viewCount: 0,
  /** Details of the problems that `onError` was called with, by their code. */
  problems: new Map<string, Set<string>>(),
  /** What the tracker was configured with, where it tells a listener that comes. */
  options: undefined as unknown,
  /** Events that wait in memory: for consent, or because the storage takes none. */
  inMemory: 0,
  /** The contact of the last event that was queued. */
  contact: "",
  /** The last event was dropped for want of consent, which the visitor's stored choice does not explain. */
  isDenied: false,
  /** Events that were queued. */
  queued: 0,
  /** Events that a hook of the page has dropped, by its name; or `reset`, because nobody is identified since a log-out. */
  dropped: new Map<string, number>(),
  /** Address of the service, without its query: of the last request, else by the options. */
  address: "",
  /** Milliseconds since the tracker came or told anything, of a page that has the time for it. */
  quietMs: 0,
  /** Has the browser a record of a request, which one that never left has not; has the site's service worker seen one? */
  isRecorded: false,
  passedWorker: false,
  /** The storage takes no event. */
  isUnstored: false,
  violations: [] as Violation[],
  script: undefined as ScriptLook | undefined,
  service: undefined as ServiceLook | undefined,
  remembered,
  /** Answers of before the panel was opened here. */
  before: remembered.answers,
  /** The page has removed who was named, and not by `reset`. */
  isEmptied: false,
  /** Was a test event asked for? */
  isTested: false,
});
