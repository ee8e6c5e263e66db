/**
 * Who may send an event (design §3.6): the page that has tracked it, while it is young or as the page is left; everybody else
 * under the lock of that page, once the last changes of its former holder have arrived.
 */
import type { Page } from "../world.js";
import { type Entry, isKeeping, type MakeRule, YOUNG_MS } from "./rule.js";

/** A grant may overtake the last changes of the storage by so much, in milliseconds. */
const SETTLE_MS = 300;
const MOST = 8;

export const locks: MakeRule = (journal) => {
  const { world, violations } = journal;
  const { clock } = world;
  let clearedAt = Number.NEGATIVE_INFINITY;

  /** What was young when its lock was granted, nobody else can have touched. */
  const holds = (page: Page, { key = "", trackedAt }: Entry): boolean =>
    [...world.locks.held].some(
      ([name, { page: by, grantedAt }]) =>
        by === page &&
        (clock.now() >= grantedAt + SETTLE_MS || grantedAt < trackedAt + YOUNG_MS) &&
        key.includes(`:${name.split(":")[1]}:`),
    );

  return {
    onClear: () => {
      clearedAt = clock.now();
    },
    onBegin: ({ page }, entry) => {
      if (world.locks.heldBy(page).length > MOST)
        violations.push(`${clock.now()} ms: a page holds more than ${MOST} locks`);
      // What is in memory alone, or was written back, is nobody else's.
      if (!journal.isExact || !entry.isDurable || !isKeeping(journal) || entry.trackedAt < clearedAt) return;
      if (page.locks !== "normal" || entry.page.locks !== "normal") return;
      const isOwn = entry.page === page && (clock.now() < entry.trackedAt + YOUNG_MS || page.isLeaving || page.isGone);
      if (!isOwn && !holds(page, entry)) violations.push(`${clock.now()} ms: ${entry.name} is sent without its lock`);
    },
    onEnd: (page) => {
      if (world.locks.heldBy(page).length) violations.push(`${clock.now()} ms: a page that is gone holds a lock`);
    },
  };
};
