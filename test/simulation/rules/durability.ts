/**
 * Nothing that was durable is lost or waits for ever, and nothing is stored twice (design §3.1 to 3.6), but for what a page
 * can neither know nor keep: each such case is named here or in the rule of hand-offs.
 */
import type { Page } from "../world.js";
import { type Entry, HEARD_MS, isKeeping, isSuccess, type MakeRule, mayBeCleared, YOUNG_MS } from "./rule.js";

/** So long after the beginning of a request its page may have no lock for it, in milliseconds. */
const LOCKED_MS = 520;

export const durability: MakeRule = (journal) => {
  const { world, entries, service } = journal;
  const { clock } = world;
  const seenBy = new Map<string, Set<Page>>();
  /** When a page ran again, after how long. */
  const resumed = new Map<Page, { at: number; ms: number }>();
  /** The storage was emptied, or full at an exit: what is its own, a page stores again when it is left, if there is room. */
  const mayLack = new Set<Page>();

  const unsettled = (): Entry[] => [...entries.values()].filter(({ stored }) => !stored);
  /** Has the page the event in its memory, for sure? */
  const isHeld = ({ page, life }: Entry): boolean => !page.isDead && !page.isFrozen && life === page.life;
  /** Has it stood still, so that others may have taken over what it has, and has yet to hear of that? */
  const isUninformed = (page: Page): boolean => {
    const { at = Number.NEGATIVE_INFINITY, ms = 0 } = resumed.get(page) ?? {};
    return clock.now() < at + HEARD_MS && ms >= YOUNG_MS;
  };
  /** Who has tracked it learns from the removal of its row that it was delivered; there is none any more. */
  const lateRemoval = (page: Page, entry: Entry): void => {
    if (page !== entry.page) entry.mayRepeat ??= "the storage was emptied while another page was sending it";
  };
  const check = (isRight: boolean, what: string): void => {
    if (!isRight) journal.violate(what);
  };
  const reportOf = (name: string) =>
    world.pages.flatMap(({ problems }) => problems).find(({ event }) => event?.event_uid === name);

  return {
    onClear: (by, isByKey) => {
      for (const page of world.pages) mayLack.add(page);
      for (const { name, page } of world.sent.filter(({ isKnown }) => !isKnown)) lateRemoval(page, entries.get(name)!);
      for (const entry of unsettled()) {
        if (isHeld(entry) && (entry.page === by || !isByKey)) continue;
        entry.mayBeLost ??= "the storage was emptied, and no page held it for sure";
        // Whoever comes back cannot tell an emptied storage from one whose rows others have sent.
        if (!entry.page.isDead) entry.mayRepeat ??= "the storage was emptied while its page stood still";
      }
    },
    onChoice: (_, choice) => {
      if (choice === "denied")
        for (const entry of unsettled())
          if (!isHeld(entry) && !entry.page.isDead) entry.mayRepeat ??= "its page stood still while all was forgotten";
    },
    onExit: (page) => {
      if (isUninformed(page))
        for (const entry of entries.values())
          if (entry.page === page)
            entry.mayRepeat ??= "its page stood still, and was left before it heard of the others";
      if (!isKeeping(journal)) mayLack.add(page);
    },
    onEnd: (page, how) => {
      if (mayBeCleared(journal, page))
        for (const entry of unsettled())
          if (entry.page === page) entry.mayBeLost ??= "its page ended before it heard that the storage was emptied";
      if (isKeeping(journal) && (how === "left" || !mayLack.has(page))) return;
      const stored = new Set(world.stored());
      for (const entry of unsettled())
        if (entry.page === page && !stored.has(entry.name)) entry.mayBeLost ??= "only its page had it when that ended";
    },
    onStall: (page, ms) => {
      // Half a second after a request has begun its page has the lock, and it takes some milliseconds to be granted.
      const isLate = ({ trackedAt }: Entry) => clock.now() + ms - trackedAt >= 2 * YOUNG_MS;
      for (const { name, isKnown, page: by, beganAt } of world.sent)
        if (!isKnown && by === page && clock.now() < beganAt + LOCKED_MS && isLate(entries.get(name)!))
          entries.get(name)!.mayRepeat ??= "its page stood still before it had the lock for its request";
      resumed.set(page, { at: clock.now() + ms, ms });
    },
    onJump: () => {
      for (const entry of unsettled())
        if (clock.now() < entry.trackedAt + 3 * YOUNG_MS)
          entry.mayRepeat ??= "the clock jumped, so that others took it for older than it was";
    },
    onBegin: ({ page }, entry) => {
      if ((page.isLeaving || page.isGone) && isUninformed(page))
        entry.mayRepeat ??= "its page stood still, and was left before it heard of the others";
      if (clock.now() < journal.cleared.at + HEARD_MS) lateRemoval(page, entry);
      check(
        !seenBy.get(entry.name)?.has(page) || !!entry.mayRepeat,
        `${entry.name} is sent by a page that saw it accepted`,
      );
    },
    onHear: ({ page }, { name }, { status }) => {
      if (isSuccess(status)) seenBy.set(name, (seenBy.get(name) ?? new Set()).add(page));
    },
    onStore: (_, { name, stored, mayRepeat }) =>
      check(stored === 1 || !!mayRepeat, `${name} is stored ${stored} times`),
    onFail: (_, entry, isStored) => {
      if (isStored) entry.mayRepeat ??= "its answer was lost";
    },
    verify: (isCured) => {
      const waiting = new Set(world.stored());
      const isDue = (name: string): boolean => isCured || !service.poison.has(name);
      for (const entry of entries.values()) {
        const { name, stored, failures, isDurable, mayBeLost } = entry;
        const report = reportOf(name);
        if (report?.code === "rejected")
          check(failures > 1 || mayBeLost !== undefined, `${name} is dropped after ${failures} failures`);
        else if (report?.code === "evicted") check(!journal.isExact, `${name} is evicted`);
        check(!isDue(name) || !!stored || !isDurable || !!mayBeLost || !!report, `${name} is lost`);
      }
      for (const name of waiting) check(!isDue(name), `${name} still waits`);
    },
  };
};
