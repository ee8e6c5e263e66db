/**
 * The pause after failures: one row for all tabs and pages, so that no number of them hammers a service that is down.
 *
 * While one event alone has failed, it is the culprit, and waits alone: the next event shows whether the service or the event
 * is at fault. Once another one fails as well, all wait.
 */
import { backOffMs, RETRY_AFTER_CEILING_MS } from "../../shared/retry-policy.js";
import { filed, get, remove, set } from "../state/storage.js";
import { rows } from "./queue.js";
import { EVENT } from "./row.js";
import { PROBE_MS, SPREAD_MS, URGENT_MS } from "./timings.js";

/**
 * As it is stored: when it was set, for how long, after how many failures, when the first request began that failed, whether a
 * probe is under way (1), and the culprit: the one event that has failed, `RETRY_AFTER`, or nothing where several have failed.
 */
type Backoff = [setAt: number, delay: number, failures: number, since: number, isProbed: number, culprit: string];

/** In place of a culprit: the service has asked for the delay, and nothing shortens it. */
export const RETRY_AFTER = "wait";

export const BACKOFF = "backoff";

/** Nothing while the service is healthy. */
export let backoff: Backoff | undefined;

/**
 * Reads what this or another document has stored last. What others have written there says nothing.
 *
 * @param isTold whether another document may have removed it; else the page has emptied the storage, and what is known holds
 */
export const readBackoff = (isTold?: boolean): void => {
  const texts = (get(filed(BACKOFF)) ?? "").split(",");
  const numbers = texts.slice(0, 5).map(Number) as [number, number, number, number, number];
  if (texts[5] !== undefined && numbers.every((number) => number >= 0)) backoff = [...numbers, texts[5]];
  else if (isTold) backoff = undefined;
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
  const [, , , , isProbed, culprit = ""] = backoff ?? [];
  const isForAll = isProbed || !culprit.includes(EVENT) || culprit === key;
  const wait = isForAll ? left(mayProbeEarly && culprit !== RETRY_AFTER ? URGENT_MS : undefined) : 0;
  return wait && wait + Math.random() * SPREAD_MS;
};

/**
 * When the service went down, in epoch milliseconds: two attempts have failed, or two events. Never, if it is up. An event that
 * has failed before, while others passed, says nothing of the service.
 */
export const downSince = (): number => {
  const [, , failures = 0, since, , culprit] = backoff ?? [];
  const isDown = backoff && (!culprit || (failures > 1 && (rows.get(culprit)?.failures ?? 0) <= failures));
  return isDown ? since! : Number.POSITIVE_INFINITY;
};

/** For so many milliseconds more holds what the service has asked for. */
const retryAfterLeft = (): number => (backoff?.[5] === RETRY_AFTER ? left() : 0);

/**
 * Notes that a request has failed.
 *
 * @param key the event; `RETRY_AFTER` where the service has asked for the delay, empty where the answer speaks of the service
 * @param beganAt when its request began: of those that fail together, only the first counts
 * @param delay milliseconds to wait, or 0 where the number of failures says it
 */
export const fail = (key: string, beganAt: number, delay: number): void => {
  const [setAt = 0, , failures = 0, since = beganAt, , before = key] = backoff ?? [];
  const culprit = before === key || key === RETRY_AFTER ? key : "";
  if (beganAt >= setAt || (key === RETRY_AFTER && delay > retryAfterLeft()))
    keep(Date.now(), delay || backOffMs(failures), failures + 1, since, 0, culprit);
};

/** The service is healthy. What it asked for holds all the same. */
export const clear = (): void => {
  if (!backoff || retryAfterLeft()) return;
  backoff = undefined;
  remove(filed(BACKOFF));
};

/** Lets all others wait for what becomes of the probe that begins now; but not for another attempt of the culprit. */
export const claim = (key: string): void => {
  if (!backoff) return;
  const [, , failures, since, , culprit] = backoff;
  keep(Date.now(), PROBE_MS, failures, since, culprit === key ? 0 : 1, culprit === RETRY_AFTER ? "" : culprit);
};
