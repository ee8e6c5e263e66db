/** What the panel still knows after a reload, of this tab alone. No key of the tracker's: what empties those leaves it alone. */
import { attempt } from "../ask/attempt.js";
import type { Activity, Remembered } from "./activity.js";
import type { Stored } from "./stored.js";

const NOTHING: Remembered = { answers: [], waitUntil: 0, contact: "" };

const keyOf = (name: string): string => `tracklet-inspector:${name}`;
/** Answers that are kept. */
const KEPT = 5;

export const recall = (name: string): Remembered =>
  attempt(() => ({ ...NOTHING, ...JSON.parse(sessionStorage.getItem(keyOf(name)) ?? "{}") }), NOTHING);

/** Keeps what a reload would take, and notes in `activity` what the page has emptied. */
export const noteRemembered = (name: string, activity: Activity, stored: Stored): void => {
  const { contact, hasIdentity, consent } = stored;
  const { remembered, exchanges, before, isUnstored } = activity;
  // `reset` leaves a row, and a refusal removes it.
  activity.isEmptied = !!remembered.contact && !contact && !hasIdentity && consent !== "denied" && !isUnstored;
  const heard = exchanges.filter(({ body, status }) => body && status >= 0);
  const answers = heard.map(({ at, event, status, words }) => ({
    at: performance.timeOrigin + at,
    event,
    status,
    words,
  }));
  const wait = Number(heard[0]?.retryAfter || 0) * 1_000;
  activity.remembered = {
    answers: [...answers, ...before].slice(0, KEPT),
    waitUntil: wait > 0 ? performance.timeOrigin + heard[0]!.at + wait : remembered.waitUntil,
    contact: contact || (hasIdentity ? "" : remembered.contact),
  };
  // Without a storage, a reload forgets.
  attempt(() => sessionStorage.setItem(keyOf(name), JSON.stringify(activity.remembered)), undefined);
};
