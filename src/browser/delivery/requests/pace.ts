/**
 * Whether anything may be sent, and when: what this page knows of the service by its answers, and the back-off after failures,
 * one row for all tabs and pages, so that no number of them hammers a service that is down.
 *
 * While one event alone has failed, it is the culprit, and waits alone: the next event shows whether the service or the event
 * is at fault. Once another one fails as well, all wait.
 */
import { backOffMs, RETRY_AFTER_CEILING_MS } from "../../../shared/retry-policy.js";
import { url } from "../../config.js";
import { filed, get, remove, set } from "../../state/storage.js";
import { rows } from "../queue/queue.js";
import { EVENT } from "../queue/row.js";
import { PAUSE_MS, PROBE_MS, SPREAD_MS, URGENT_MS } from "../timings.js";

/**
 * As it is stored: when it was set, in epoch milliseconds; for how long; after how many failures; whether a probe is under way (1);
 * and the culprit: the one event that has failed, `RETRY_AFTER`, or nothing where several have failed.
 */
type Backoff = [setAt: number, delay: number, failures: number, isProbed: number, culprit: string];

/** In place of a culprit: the service has asked for the delay, and nothing shortens it. */
export const RETRY_AFTER = "wait";

export const BACKOFF = "backoff";

/** Nothing while the service is healthy. */
export let backoff: Backoff | undefined;
/** Has a request of this document failed since one was accepted? Others may have ended the back-off meanwhile. */
export let hasFailed = false;

/** Another document has written it, or ended it. */
export const forgetBackoff = (): void => {
  backoff = undefined;
};

/** Reads what a document has stored last. Where the page has emptied the storage, or written something else, what is known holds. */
export const readBackoff = (): void => {
  const texts = (get(filed(BACKOFF)) ?? "").split(",");
  const numbers = texts.slice(0, 4).map(Number) as [number, number, number, number];
  if (texts[4] !== undefined && numbers.every((number) => number >= 0)) backoff = [...numbers, texts[4]];
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

/** Notes what an answer to one event has offered. */
export const keepOffer = (most: number): void => {
  if (most === offer) return;
  offer = most;
  if (most) set(filed(OFFER), `${most} ${address()}`);
  else remove(filed(OFFER));
};

const keep = (...next: Backoff): void => {
  backoff = next;
  set(filed(BACKOFF), next.join());
};

/** Milliseconds for which the back-off holds: none once the clock was set back behind its beginning. */
const left = (ceiling = RETRY_AFTER_CEILING_MS): number => {
  const [setAt, delay] = backoff ?? [0, 0];
  const past = Date.now() - setAt;
  return past < 0 ? 0 : Math.max(0, Math.min(delay, ceiling) - past);
};

/**
 * Milliseconds until an event may be tried. Each document waits a little longer than it must, so that one of them probes and
 * the others are told in time.
 *
 * @param mayProbeEarly whether a page was loaded, the browser came online or the like
 */
export const waitFor = (key: string, mayProbeEarly: boolean): number => {
  const [, , , isProbed, culprit = ""] = backoff ?? [];
  const isForAll = isProbed || !culprit.includes(EVENT) || culprit === key;
  const wait = isForAll ? left(mayProbeEarly && culprit !== RETRY_AFTER ? URGENT_MS : undefined) : 0;
  return wait && wait + Math.random() * SPREAD_MS;
};

/**
 * Has the service gone down since this time, in epoch milliseconds? Two attempts have failed, or one whose answer speaks of every
 * event. An event that has failed before, while others passed, says nothing of the service.
 */
export const isDown = (since: number): boolean => {
  const [setAt, , failures, isProbed, culprit] = backoff ?? [];
  return (
    setAt! > since && failures! > (culprit || isProbed ? 1 : 0) && (rows.get(culprit!)?.failures ?? 0) <= failures!
  );
};

/** Is the configuration taken for wrong? Then a new event shows whether it still is. */
export const isPausing = (): boolean => backoff?.[1] === PAUSE_MS;

/** For so many milliseconds more holds what the service has asked for. */
const retryAfterLeft = (): number => (backoff?.[4] === RETRY_AFTER ? left() : 0);

/**
 * Notes that a request has failed.
 *
 * @param key the event; `RETRY_AFTER` where the service has asked for the delay, empty where the answer speaks of the service
 * @param claimed what `claim` gave its request: of those that fail together, only the first counts
 * @param delay milliseconds to wait, or 0 where the number of failures says it
 */
export const fail = (key: string, claimed: number | undefined, delay: number): void => {
  hasFailed = true;
  const [setAt, , failures = 0, , before = key] = backoff ?? [];
  const culprit = before === key || key === RETRY_AFTER ? key : "";
  if (setAt === claimed || !backoff || (key === RETRY_AFTER && delay > retryAfterLeft()))
    keep(Date.now(), delay || backOffMs(failures), failures + 1, 0, culprit);
};

/** The service is healthy. What it asked for holds all the same. */
export const clear = (): void => {
  hasFailed = false;
  if (!backoff || retryAfterLeft()) return;
  backoff = undefined;
  remove(filed(BACKOFF));
};

/**
 * Lets all others wait for what becomes of the probe that begins now; but not for another attempt of the culprit.
 *
 * @returns when the back-off was set that is this request's own; nothing where there is none
 */
export const claim = (key: string): number | undefined => {
  if (!backoff) return undefined;
  const [, , failures, , culprit] = backoff;
  keep(Date.now(), PROBE_MS, failures, culprit === key ? 0 : 1, culprit === RETRY_AFTER ? "" : culprit);
  return backoff[0];
};
