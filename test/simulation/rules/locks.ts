/**
 * Who may send an event (design §3.6): the page that has tracked it, while it is young or as the page is left; everybody else
 * under the lock of that page, once the last changes of its former holder have arrived.
 */
import type { Page } from "../world.js";
import { type Entry, isKeeping, lockedAt, type MakeRule, SETTLE_MS, YOUNG_MS } from "./rule.js";

const MOST = 8;

export const locks: MakeRule = (journal) => {
  const { world } = journal;
  const { clock } = world;

  /** What was young when its lock was granted, nobody else can have touched. */
  const holds = (page: Page, entry: Entry): boolean => {
    const grantedAt = lockedAt(journal, page, entry);
    return clock.now() >= grantedAt + SETTLE_MS || grantedAt < entry.trackedAt + YOUNG_MS;
  };

  return {
    onBegin: ({ page }, entry) => {
      if (world.locks.heldBy(page).length > MOST) journal.violate(`a page holds more than ${MOST} locks`);
      // What is in memory alone, or was written back, is nobody else's.
      if (!journal.isExact || !entry.isDurable || !isKeeping(journal) || entry.trackedAt < journal.cleared.at) return;
      if (page.locks !== "normal" || entry.page.locks !== "normal") return;
      const isOwn = entry.page === page && (clock.now() < entry.trackedAt + YOUNG_MS || page.isLeaving || page.isGone);
      if (!isOwn && !holds(page, entry)) journal.violate(`${entry.name} is sent without its lock`);
    },
    onEnd: (page) => {
      if (world.locks.heldBy(page).length) journal.violate(`a page that is gone holds a lock`);
    },
  };
};
