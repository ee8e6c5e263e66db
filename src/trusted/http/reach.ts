import { checkWhole } from "./validate.js";

/** How to reach the service, and when to give up. */
export interface Reach {
  /** Instead of the global `fetch`. */
  fetch?: typeof globalThis.fetch | undefined;
  /** One deadline for a call with all its attempts and waits, in milliseconds; 30,000 unless set. */
  timeoutMs?: number | undefined;
  /** Attempts after the first one; 2 unless set. */
  retries?: number | undefined;
}

/** What may be said for a single call. */
export interface CallOptions {
  /** Ends the call at once, during a wait too: it rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
}

/** @throws TypeError that names the option that is wrong */
export const checkReach = ({ timeoutMs = 0, retries = 0 }: Reach): void => {
  checkWhole("timeoutMs", timeoutMs);
  checkWhole("retries", retries);
};
