/**
 * The pause after failures, `backoff` = `setAt,delay,failures,culprit,since`: shared by all tabs and kept across pages, so that
 * no number of tabs or reloads hammers a service that is down. `since` is when the first request began that failed.
 *
 * While one event alone has failed, it is the culprit, and waits alone: the next event shows whether the service or the event
 * is at fault. Once another one fails as well, all wait.
 */
import { backOffMs, RETRY_AFTER_CEILING_MS } from "../../shared/retry-policy.js";
import { get, remove, set } from "../state/storage.js";
import { EVENT } from "./event-key.js";
import type { Request } from "./in-flight.js";
import { me } from "./tabs.js";

/** A probe whose tab is gone frees the way after this time, in milliseconds: the time-out of a request. */
const PROBE_MS = 15_000;
/** Where there is a reason not to wait, a probe may still follow the last one only after this time, in milliseconds. */
const URGENT_MS = 8_000;
/** Each tab waits up to this much longer, in milliseconds, so that one of them probes and the others notice it in time. */
const SPREAD_MS = 1_000;
/** In place of a culprit: the service has asked for the delay, and nothing shortens it. */
export const RETRY_AFTER = "wait";
/** Before the culprit: its request, or another one, is under way. */
const PROBING = "?";

const KEY = "backoff";
/** By its random name. */
const spread = (): number => Number.parseFloat(me) * SPREAD_MS;

/** What this page last read or wrote; `""` while the service is healthy. */
export let known = "";

/** The stored state. A request remembers the one that it began in. What others have written there says nothing. */
export const state = (): string => {
  known = /^\d+,\d.*/.exec(get(KEY) ?? "")?.[0] ?? "";
  return known;
};

/** Writes the state, also again where the page has emptied the storage. */
export const writeState = (...row: unknown[]): void => {
  known = row.join();
  set(KEY, known);
};

const read = (): string[] => state().split(",");

/** The one event that has failed; something else where several have. */
export const culprit = (): string => read()[3] ?? "";

/**
 * Milliseconds until an event may be tried: none once the clock was set back behind the beginning.
 *
 * @param mayProbeEarly whether a page was loaded, the browser came online or the like
 */
export const waitFor = (key: string, mayProbeEarly: boolean): number => {
  const [setAt, delay, , failed = ""] = read();
  const past = Date.now() - Number(setAt);
  const ceiling = mayProbeEarly && failed !== RETRY_AFTER ? URGENT_MS : RETRY_AFTER_CEILING_MS;
  const remaining = Math.min(Number(delay), ceiling) + spread() - past;
  return past >= 0 && remaining > 0 && (!failed.startsWith(EVENT) || failed === key) ? remaining : 0;
};

/** When the service went down, in epoch milliseconds: two different events have failed. Never, if it is up. */
export const downSince = (): number => (/^\??$/.test(read()[3] ?? "-") ? Number(read()[4]) : Number.POSITIVE_INFINITY);

/** For so many milliseconds more holds what the service has asked for. */
const retryAfterLeft = (): number => (culprit() === RETRY_AFTER ? waitFor("", false) : 0);

/**
 * Notes that a request has failed.
 *
 * @param key the event; `RETRY_AFTER` where the service has asked for the delay, empty where the answer speaks of the service
 * @param request when it began, and the state then: of requests that fail together, only the first counts
 * @param delay milliseconds to wait, or 0 where the number of failures says it
 */
export const fail = (key: string, { beganAt, backoff }: Request, delay: number): void => {
  const [setAt, current, failures = 0, , since = beganAt] = read();
  const next = !known || culprit().replace(PROBING, "") === key || key === RETRY_AFTER ? key : "";
  // By its time: a failure that came in between may have changed the rest.
  if (!known || backoff.split(",")[0] === setAt || (key === RETRY_AFTER && delay > retryAfterLeft() - spread()))
    writeState(Date.now(), delay || backOffMs(Number(failures)), Number(failures) + 1, next, since);
  else if (!next && !retryAfterLeft()) writeState(setAt, current, failures, next, since);
};

/** The service is healthy. What it asked for holds all the same. */
export const clear = (): void => {
  if (retryAfterLeft()) return;
  known = "";
  remove(KEY);
};

/** Lets all others wait for what becomes of the probe that begins now; but not for another attempt of the culprit. */
export const claim = (key: string): void => {
  const [, , failures, failed = "", since] = read();
  writeState(Date.now(), PROBE_MS, failures, failed === key ? key : PROBING + failed.replace(PROBING, ""), since);
};
