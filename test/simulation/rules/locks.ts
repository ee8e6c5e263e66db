/**
 * Who may send an event (design §3.6): the page that has tracked it, while it is young; everybody else, and every page later, under
 * the one lock, once the last changes of its former holder have arrived.
 */
import { isKeeping, lockedAt, type MakeRule, SETTLE_MS, YOUNG_MS } from "./rule.js";

export const locks: MakeRule = (journal) => {
  const { world } = journal;
  const { clock } = world;

  return {
    onBegin: ({ page }, entry) => {
      // What is in memory alone, or was written back, is nobody else's.
      if (!journal.isExact || !entry.isDurable || !isKeeping(journal) || entry.trackedAt < journal.cleared.at) return;
      if (page.locks !== "normal" || entry.page.locks !== "normal") return;
      const isYoung = entry.page === page && clock.now() < entry.trackedAt + YOUNG_MS;
      if (!isYoung && clock.now() < lockedAt(journal, page) + SETTLE_MS)
        journal.violate(`${entry.name} is sent without the lock`);
    },
    onEnd: (page) => {
      if (world.locks.heldBy(page).length) journal.violate(`a page that is gone holds a lock`);
    },
  };
};
