/** What the panel still knows after a reload, of this tab alone. No key of the tracker's: what empties those leaves it alone. */
import { attempt } from "../../shared/attempt.js";
import type { Activity, Exchange } from "./activity.js";
import type { Stored } from "./stored.js";

const keyOf = (name: string): string => `tracklet-inspector:${name}`;
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
  // Without a storage, a reload forgets.
  attempt(() => sessionStorage.setItem(keyOf(name), JSON.stringify(kept)));
};
