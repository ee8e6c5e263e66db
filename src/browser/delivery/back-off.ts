/**
 * Whether anything may be sent, and when: what this page knows of the service by its answers. One row of the back-off after failures
 * for all tabs and pages, so that no number of them hammers a service that is down; one of what the service offers.
 *
 * While one event alone has failed, it waits alone: the next event shows whether the service or the event is at fault. Once another
 * one fails as well, all wait.
 */
import { backOffMs, RETRY_AFTER_CEILING_MS } from "../../shared/retry-policy.js";
import { url } from "../config.js";
import { filed, get, remove, set } from "../state/storage.js";
import { isStamped, type Row } from "./row.js";

/**
 * As it is stored: when it was set, in epoch milliseconds; for how long; after how many failures; and why: one event alone has
 * failed, a probe is under way, the service has asked for the delay, or several have failed (an empty text).
 */
type Backoff = [setAt: number, delay: number, failures: number, why: string];

export const ONE = "one";
const PROBE = "probe";
/** Nothing shortens the delay. */
export const RETRY_AFTER = "wait";

export const BACKOFF = "backoff";

/** Nothing while the service is healthy. */
export let backoff: Backoff | undefined;
/** Has a request of this document failed since one was accepted? Others may have ended the back-off meanwhile. */
export let hasFailed = false;

export const forgetBackoff = (): void => {
  backoff = undefined;
};

/** Reads what a document has stored last. Where the page has emptied the storage, or written something else, what is known holds. */
export const readBackoff = (): void => {
  const texts = (get(filed(BACKOFF)) ?? "").split(",");
  const why = texts.pop()!;
  const [setAt, delay, failures] = texts.map(Number) as [number, number, number];
  if (setAt >= 0 && delay >= 0 && failures >= 0) backoff = [setAt, delay, failures, why];
};

const keep = (...next: Backoff): void => {
  backoff = next;
  // The release before reads whether a probe is under way in the fourth place.
  set(filed(BACKOFF), [...next.slice(0, 3), 0, next[3]].join());
};

/** Milliseconds for which the back-off holds: none once the clock was set back behind its beginning. */
const left = (ceiling = RETRY_AFTER_CEILING_MS): number => {
  const [setAt, delay] = backoff ?? [0, 0];
  const past = Date.now() - setAt;
  return past < 0 ? 0 : Math.max(0, Math.min(delay, ceiling) - past);
};

/** Even where there is a reason not to wait, a probe follows the last one only after this time. */
const URGENT_MS = 8_000;
/** Each document waits up to this much longer, so that one of them probes and the others are told in time. */
const SPREAD_MS = 1_000;

/**
 * Milliseconds until an event may be tried.
 *
 * @param mayProbeEarly whether a page was loaded, the browser came online or the like
 */
export const waitFor = ({ failures }: Row, mayProbeEarly: boolean): number => {
  const why = backoff?.[3];
  const wait = why === ONE && !failures ? 0 : left(mayProbeEarly && why !== RETRY_AFTER ? URGENT_MS : undefined);
  return wait && wait + Math.random() * SPREAD_MS;
};

/** Has the service gone down since this time, in epoch milliseconds? Two attempts have failed. */
export const isDown = (since: number): boolean => !!backoff && backoff[0] > since && backoff[2] > 1;

/** Has it failed more often than the service since that was last well? Then others have passed, and it is the cause itself. */
export const isCause = ({ failures }: Row): boolean => failures > (backoff?.[2] ?? 0);

/** A service that refuses every event is asked again after this time. */
export const PAUSE_MS = 300_000;
/** Is the configuration taken for wrong? Then a new event shows whether it still is. */
export const isPausing = (): boolean => backoff?.[1] === PAUSE_MS;

/** For so many milliseconds more holds what the service has asked for. */
const retryAfterLeft = (): number => (backoff?.[3] === RETRY_AFTER ? left() : 0);

/**
 * Notes that a request has failed.
 *
 * @param why as in the row: `ONE` also where that one fails again
 * @param time when its request began: of those that fail together, only the first counts, or that which has claimed the back-off
 * @param delay milliseconds to wait, or 0 where the number of failures says it
 */
export const fail = (why: string, time: number, delay: number): void => {
  hasFailed = true;
  const [setAt, , failures = 0] = backoff ?? [];
  if (setAt === time || !backoff || (why === RETRY_AFTER && delay > retryAfterLeft()))
    keep(Date.now(), delay || backOffMs(failures), failures + 1, why);
};

/** The service is healthy. What it asked for holds all the same. */
export const clear = (): void => {
  hasFailed = false;
  if (!backoff || retryAfterLeft()) return;
  backoff = undefined;
  remove(filed(BACKOFF));
};

/** If the page of a probe is gone, others may probe after this time: that of a request. */
const PROBE_MS = 15_000;

/** Lets all others wait for what becomes of the probe that begins now; but not for another attempt of the one that has failed. */
export const claim = (row: Row, time: number): void => {
  if (backoff) keep(time, PROBE_MS, backoff[2], backoff[3] === ONE && row.failures ? ONE : PROBE);
};

const OFFER = "offer";

/** The most events that the service takes in one request, where it offers that: then it drops repeats by their stamps. Else 0. */
export let offer = 0;

/** An offer is that of one address. */
const address = (): string | undefined => url?.split("?")[0];

/** Reads the offer that a document has stored last: so whoever comes later knows it. */
export const readOffer = (): void => {
  const [most, at] = (get(filed(OFFER)) ?? "").split(" ");
  offer = at === address() ? Number(most) : 0;
};

export const keepOffer = (most: number): void => {
  if (most === offer) return;
  offer = most;
  if (most) set(filed(OFFER), `${most} ${address()}`);
  else remove(filed(OFFER));
};

export const isKnown = (row: Row): boolean => offer > 0 && isStamped(row);
