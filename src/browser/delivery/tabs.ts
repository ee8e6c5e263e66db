/**
 * Which tab sends which events. A tab sends what it has tracked itself, and holds a lease while something waits: `tab:<id>` =
 * the time of the last renewal, or 0 once the tab was left. The events of all dead tabs are sent by one tab, `adopter` = its id,
 * for as long as it lives.
 */

import { identity } from "../state/identity.js";
import { get, keys, remove, set } from "../state/storage.js";
import { EVENT, isAddressed, tabOf, timeOf } from "./event-key.js";
import { load, rows } from "./queue.js";

/** A tab that gave no sign of life for this long, in milliseconds, is dead. A request is given up sooner. */
export const LEASE_MS = 20_000;
/** The lease is renewed this often, in milliseconds: a timer may be late by three of them. */
export const RENEW_MS = 5_000;
/** A claim is looked at again after this time, in milliseconds, or twice it: the last writer has won, and every tab sees who that was. */
const CLAIM_MS = 300;
/** A lease that nobody has renewed for this long, in milliseconds, is of no use to anybody. */
const LOST_MS = 86_400_000;
const LEASE = "tab:";
const ADOPTER = "adopter";

/** This tab. Random, because a duplicated tab has the session storage of the other one; with the time, because a page may seed `Math.random`. */
export let me = "";
/** The last sign of life: a renewal, or the first event that waits. */
let aliveAt = 0;
/** Is there a lease of this tab? */
export let isHeld = false;
/** When to look for events of dead tabs, and when a claim has held for long enough. */
export let lookAt = 0;
let sureAt = 0;

/** A time that lies ahead is as stale as an old one, so that a clock set back stalls nothing. */
export const isOver = (time: unknown, period: number): boolean => !(Math.abs(Date.now() - Number(time)) < period);

/** Looks at the latest in `ms` milliseconds. */
export const lookWithin = (ms: number): void => {
  lookAt = Math.min(lookAt, Date.now() + ms);
};

/** Renews the lease, if that is due. */
export const renew = (isDue?: unknown): void => {
  if (!isDue && !isOver(aliveAt, RENEW_MS)) return;
  aliveAt = Date.now();
  isHeld = true;
  set(LEASE + me, `${aliveAt}`);
};

/** What waits may be adopted at once. */
export const free = (): void => {
  set(LEASE + me, "0");
};

/** Leaves all events to the storage, and goes on as a tab without any. */
export const restart = (): void => {
  if (rows.size) free();
  rows.clear();
  me = `${Math.random()}-${Date.now()}`;
  isHeld = false;
  lookAt = 0;
  aliveAt = Date.now();
};

/** An event is about to be added: a sign of life by itself. */
export const giveSign = (): void => {
  aliveAt = Date.now();
};

/** Was the last sign of life so long ago that another tab may take this one for dead? */
export const isSilent = (): boolean => rows.size > 0 && isOver(aliveAt, LEASE_MS);

/** Nothing waits. */
export const finish = (): void => {
  if (!isHeld) return;
  isHeld = false;
  remove(LEASE + me);
  if (get(ADOPTER) === me) remove(ADOPTER);
};

/** Is there no lease of this tab in the storage? */
export const lacksLease = (): boolean => get(LEASE + me) === undefined;

/**
 * Lets go of an event that another tab has sent. Where the page has emptied the storage, the lease is missing as well.
 *
 * @returns whether it was so
 */
export const letGo = (key: string): boolean => get(key) === undefined && !lacksLease() && rows.delete(key);

/**
 * Lets go of dead tabs' events where another tab sends them; of all, where this one was silent: others may have sent them.
 *
 * @param isDue whether this tab should have given a sign of life, because something could be sent
 */
export const yieldToAdopter = (isDue: boolean): void => {
  const isOther = (get(ADOPTER) ?? me) !== me;
  if (isSilent() && (isOther || isDue)) restart();
  if (isOther) for (const key of rows.keys()) if (tabOf(key) !== me) rows.delete(key);
};

/** Is there a claim that has not held for long enough? */
export const isClaiming = (): boolean => sureAt > Date.now();

/** Takes over what dead tabs have left, once this tab is the adopter; claims that, where nobody is. */
export const adopt = (): void => {
  const events = keys(EVENT);
  // The latest event of a tab is a sign of life, too: it may have no lease yet. Keys come in the order of their events.
  const newest = Object.fromEntries(events.map((key) => [tabOf(key), timeOf(key)]));
  /** When the lease of a tab ends; 0 where it has. */
  const endOf = (tab: string): number => {
    const lease = get(LEASE + tab);
    const sign = [Number(lease), newest[tab]].find((time) => lease !== "0" && !isOver(time, LEASE_MS));
    return sign ? sign + LEASE_MS : 0;
  };
  lookAt = Number.POSITIVE_INFINITY;
  const orphans = events.filter((key) => {
    const tab = tabOf(key);
    const end = tab === me ? lookAt : endOf(tab);
    if (end) lookAt = Math.min(lookAt, end);
    return !end;
  });
  // Who stood still for long learns from its lease that the storage was not emptied.
  for (const key of keys(LEASE)) if (!newest[tabOf(key)] && isOver(get(key), LOST_MS)) remove(key);
  // Those that nobody was named for can be sent once somebody is, and go after a day.
  const isNamed = !!identity()[1];
  if (!orphans.some((key) => isNamed || isOver(timeOf(key), LOST_MS) || isAddressed(get(key) ?? ""))) return;
  const adopter = get(ADOPTER) ?? "";
  if (adopter === me) {
    if (isClaiming()) lookWithin(sureAt - Date.now());
    else for (const key of orphans) if (!rows.has(key)) load(key);
  } else if (endOf(adopter)) lookWithin(RENEW_MS);
  else {
    renew(true);
    set(ADOPTER, me);
    sureAt = Date.now() + CLAIM_MS * (1 + Math.random());
    lookWithin(sureAt - Date.now());
  }
};
