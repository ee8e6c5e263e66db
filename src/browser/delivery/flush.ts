import type { FlushResult } from "../../types.js";
import type { Queue } from "./queue.js";

/** How often it is looked whether anything is still under way, in milliseconds. */
const LOOK_MS = 50;

/** Sends what can be sent now, and tells what became of it, after `timeoutMs` milliseconds at the latest. */
export const flush = async (
  queue: Queue,
  begin: () => void,
  isBusy: () => boolean,
  timeoutMs: number,
): Promise<FlushResult> => {
  const { delivered, dropped } = queue.tally;
  const end = performance.now() + timeoutMs;
  begin();
  while (isBusy() && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  return {
    delivered: queue.tally.delivered - delivered,
    queued: queue.rows.size,
    dropped: queue.tally.dropped - dropped,
  };
};
