/** What has happened on a page since the panel was opened, and what the browser and an earlier panel still know of the time before. */
import { attempt } from "../../shared/attempt.js";
import type { ScriptLook, ServiceLook } from "../ask/look.js";
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
  /** Does it go to the path of several? */
  isSeveral: boolean;
  /** Characters of its body, the token in its address, and its `Content-Type`. */
  length: number;
  token: string;
  type: string;
  /** Type and text of the answer, its `Retry-After`, how many events it offers to take, and where it is from, if not the address. */
  answerType: string;
  words: string;
  retryAfter: string;
  offer: number;
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

/** @param before what an earlier panel in this tab has heard, newest first, and who was named last */
export const createActivity = (before: { answers: Exchange[]; formerContact: string }) => ({
  ...before,
  /** The page has removed who was named, and not by `reset`. */
  isEmptied: false,
  // Since the panel was opened, newest first: requests, calls, and errors of the page that nothing has caught.
  exchanges: [] as Exchange[],
  calls: [] as Call[],
  errors: [] as string[],
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

/* What the panel still knows after a reload, of this tab alone. No key of the tracker's: what empties those leaves it alone. */

const keyOf = (name: string): string => `tracklet-inspected:${name}`;
/** Answers that are kept. */
const KEPT = 5;

export const recall = (name: string) => ({
  answers: [] as Exchange[],
  formerContact: "",
  ...attempt(() => JSON.parse(sessionStorage.getItem(keyOf(name)) ?? "{}")),
});

/** Keeps what a reload would take, and notes in `activity` what the page has emptied. */
export const noteRemembered = (name: string, activity: Activity, stored: Stored): void => {
  const { exchanges, answers, isUnstored } = activity;
  const { contact, hasIdentity, consent } = stored;
  const isGone = !contact && !hasIdentity && consent !== "denied";
  // `reset` leaves a row, and a refusal removes it.
  activity.isEmptied = !!activity.formerContact && isGone && !isUnstored;
  activity.formerContact = contact || (hasIdentity ? "" : activity.formerContact);
  const heard = exchanges.filter(({ isHeard, status }) => isHeard && status >= 0);
  const kept = { answers: [...heard, ...answers].slice(0, KEPT), formerContact: activity.formerContact };
  // Without a storage, a reload forgets. What the events hold is nobody's business any more.
  const bare = (key: string, value: unknown) => (key === "params" ? {} : value);
  attempt(() => sessionStorage.setItem(keyOf(name), JSON.stringify(kept, bare)));
};
