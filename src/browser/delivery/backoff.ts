/**
 * The pause after failures, `backoff` = `setAt,delay,failures,isFixed`: shared by all tabs and kept across pages, so that no
 * number of tabs or reloads hammers a service that is down.
 */
import { backOffMs, RETRY_AFTER_CEILING_MS } from "../../shared/retry-policy.js";
import type { Store } from "../state/storage.js";

/** A probe whose tab is gone frees the way after this time, in milliseconds: the time-out of a request. */
const PROBE_MS = 15_000;
/** Where there is a reason not to wait, a probe may still follow the last one only after this time, in milliseconds. */
const URGENT_MS = 8_000;
/** Each tab waits up to this much longer, in milliseconds, so that one of them probes and the others hear of it in time. */
const SPREAD_MS = 1_000;

const KEY = "backoff";

export const createBackOff = (store: Store) => {
  const spread = Math.random() * SPREAD_MS;
  /**
   * The stored state; `""` while the service is healthy. A request remembers the one it began in. What others have written
   * there says nothing.
   */
  const state = (): string => /^\d+,\d.*/.exec(store.get(KEY) ?? "")?.[0] ?? "";
  const read = (): number[] => state().split(",").map(Number);
  const write = (delay: number, failures: number, isFixed: number): string => {
    const row = [Date.now(), delay, failures, isFixed].join();
    store.set(KEY, row);
    return row;
  };
  /**
   * Milliseconds until the next probe: none once the clock was set back behind the beginning.
   *
   * @param isUrgent whether a page was loaded, the browser came online or the like; a `Retry-After` holds all the same
   */
  const wait = (isUrgent?: boolean, ownSpread = spread): number => {
    const [setAt, delay, , isFixed] = read() as [number, number, number, number];
    const left =
      setAt - Date.now() + Math.min(delay, isUrgent && !isFixed ? URGENT_MS : RETRY_AFTER_CEILING_MS) + ownSpread;
    return left > 0 && setAt <= Date.now() ? left : 0;
  };

  /** Does a `Retry-After` hold? Nothing shortens it. */
  const isTold = (): boolean => !!read()[3] && wait() > 0;

  return {
    state,
    wait,

    /** @param seen the state when the request began: of requests that fail together, only the first counts */
    fail: (seen: string, retryAfter: number): void => {
      const failures = read()[2] || 0;
      // Of what was told while the request was under way, only a longer wait holds.
      if (retryAfter && (seen === state() || retryAfter > wait(true, 0))) write(retryAfter, failures + 1, 1);
      else if (seen === state()) write(backOffMs(failures), failures + 1, 0);
    },

    /** Stops for `delay` milliseconds, which is no failure. */
    pause: (delay: number): unknown => isTold() || write(delay, 0, 0),

    /** The service is healthy. */
    clear: (): unknown => !state() || isTold() || store.remove(KEY),

    /** Lets other tabs wait for the verdict on the probe that this one begins. @returns the state that the probe begins in */
    claim: (): string => write(PROBE_MS, read()[2] || 0, 0),
  };
};

export type BackOff = ReturnType<typeof createBackOff>;
