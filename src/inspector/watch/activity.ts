/** What has happened on a page since the panel was opened, and what the browser and an earlier panel still know of the time before. */
import type { ScriptLook } from "../ask/script.js";
import type { ServiceLook } from "../ask/service.js";
import type { Violation } from "../ask/violations.js";

/** A request, and its answer. */
export interface Exchange {
  /** In epoch milliseconds. */
  at: number;
  /** -1 while it is under way; 0 where no answer could be read. */
  status: number;
  /** Did the panel hear it word for word? If not, the browser's own record tells time and status, and what follows is empty. */
  isHeard: boolean;
  /** The names of its events; and of a page view the address. */
  event: string;
  visitUrl: string;
  /** Characters of its body, the token in its address, and its `Content-Type`. */
  length: number;
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

export type Activity = ReturnType<typeof createActivity>;

/** @param before what an earlier panel in this tab has heard, newest first, and who was named last */
export const createActivity = (before: { answers: Exchange[]; formerContact: string }) => ({
  ...before,
  /** The page has removed who was named, and not by `reset`. */
  isEmptied: false,
  /** Requests and their answers, newest first. */
  exchanges: [] as Exchange[],
  /** The calls that were made since the panel was opened, newest first. */
  calls: [] as Call[],
  /** What the tracker told, by its code: problems, and who has dropped an event since the last one was queued. */
  told: new Map<string, Set<string>>(),
  /** What the tracker was configured with, where it tells a listener that comes. */
  options: undefined as unknown,
  /** How many events were queued, and the contact of the last one. */
  queued: 0,
  contact: "",
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
});
