import type { FlushResult } from "../../types.js";
import { rows, tally } from "./queue.js";
import { hurry, isBusy } from "./rounds.js";

/** How often it is looked whether anything is still under way, in milliseconds. */
const LOOK_MS = 50;

/** Sends what can be sent now, and tells what became of it, after `timeoutMs` milliseconds at the latest. */
export const flush = async (timeoutMs: number): Promise<FlushResult> => {
  const { delivered, dropped } = tally;
  try {
    const end = performance.now() + timeoutMs;
    hurry();
    while (isBusy() && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  } catch {
    // The page has broken its clock: there is nothing to wait for.
  }
  return { delivered: tally.delivered - delivered, queued: rows.size, dropped: tally.dropped - dropped };
};
