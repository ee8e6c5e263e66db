import { pause } from "../../shared/pause.js";
import type { FlushResult } from "../../types.js";
import { isHidden } from "../page.js";
import { look } from "./look.js";
import { rows, tally } from "./queue.js";
import { hurry, isBusy } from "./rounds.js";
import { isOwn } from "./row.js";
import { FLUSH_LOOK_MS } from "./timings.js";

/**
 * Sends what can be sent now, and tells what became of it, after `timeoutMs` milliseconds at the latest; on a hidden page at
 * once, because its timers come up to a minute late.
 */
export const flush = async (timeoutMs: number): Promise<FlushResult> => {
  const { delivered, dropped } = tally;
  try {
    const end = performance.now() + timeoutMs;
    if (!isHidden()) look();
    hurry();
    while (!isHidden() && isBusy(end) && performance.now() < end) await pause(FLUSH_LOOK_MS);
  } catch {
    // The page has replaced its clock by one that throws: nobody can wait.
  }
  const queued = [...rows.values()].filter(isOwn).length;
  return { delivered: tally.delivered - delivered, queued, dropped: tally.dropped - dropped };
};
