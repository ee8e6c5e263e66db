/** What has happened on a page since the panel was opened, and what the browser and an earlier panel still know of the time before. */
import { attempt } from "../../shared/attempt.js";
import type { ScriptLook, ServiceLook } from "../ask/own-requests.js";
import type { SentEvent, Stored } from "./stored.js";

/** A request, and its answer. */
export interface Exchange {
  /** In epoch milliseconds: when it began, and once it is answered, when that was. */
  at: number;
  /** -1 while it is under way; 0 where no answer could be read. */
  status: number;
  /** Did the panel hear it word for word? If not, the browser's own record tells time and status, and what follows is empty. */
  isHeard: boolean;
  sent: SentEvent[];
  /** Type and text of the answer, and where it is from, if not the address. */
  answerType: string;
  words: string;
  from: string;
}

/** What the page's policy has forbidden: by which rule, such as `script-src-elem`, and what: `"inline"` is what stands in the page. */
export type Violation = Record<"directive" | "url" | "policy", string>;

export interface Call {
  verb: string;
  args: readonly unknown[];
  /** What the tracker told while it carried the call out, in its own words. */
  became: string;
  /** Where in the page's scripts it stands, as far as the browser tells, and whether the visitor had done anything before. */
  caller: string;
  isByItself: boolean;
}

export type Activity = ReturnType<typeof createActivity>;

export const createActivity = () => ({
  /** Who was named last, and whether the page has removed that, not by `reset`. */
  formerContact: "",
  isEmptied: false,
  // Since the panel was opened, newest first: requests, calls, and errors of the page that nothing has caught.
  exchanges: [] as Exchange[],
  calls: [] as Call[],
  errors: [] as string[],
  /** How a `fetch` of the page's own begins, as it was before the panel came; else `""`. */
  ownFetch: "",
  /** What was in the tracker's place before it came, as far as the panel was there. */
  stood: undefined as unknown,
  /** What the tracker told, by its code: problems, and who has dropped an event since the last one was queued. */
  told: new Map<string, Set<string>>(),
  /** What the tracker was configured with, where it tells a listener that comes. */
  options: undefined as unknown,
  /** How many events were queued; those whose form is another than what was given; and views that came twice at once. */
  queued: 0,
  altered: new Set<string>(),
  doubled: new Set<string>(),
  /** Of the service, without its query. */
  address: "",
  /** Milliseconds since the tracker came, told anything or was called, of a page that has the time for it. */
  quietMs: 0,
  /** Has the browser a record of a request, which one that never left has not; has the site's service worker seen one? */
  isRecorded: false,
  passedWorker: false,
  /** The storage takes no event. */
  isUnstored: false,
  violations: [] as Violation[],
  script: undefined as ScriptLook | undefined,
  service: undefined as ServiceLook | undefined,
  /** The address of the frame that has the tag, where the page has none. */
  framed: undefined as string | undefined,
});

/** Keeps for a reload of this tab who is named, and notes in `activity` what the page has emptied. */
export const noteNamed = (name: string, activity: Activity, stored: Stored): void => {
  const { contact, hasIdentity, consent } = stored;
  // No key of the tracker's: what empties those leaves it alone.
  const key = `tracklet-inspected:${name}`;
  const former = activity.formerContact || (attempt(() => sessionStorage.getItem(key)) ?? "");
  const isGone = !contact && !hasIdentity && consent !== "denied";
  // `reset` leaves a row, and a refusal removes it.
  activity.isEmptied = !!former && isGone && !activity.isUnstored;
  activity.formerContact = contact || (hasIdentity ? "" : former);
  attempt(() => sessionStorage.setItem(key, activity.formerContact));
};
