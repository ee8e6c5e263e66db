/**
 * Nothing that was durable is lost or waits for ever, and nothing is stored twice (design §3.1 to 3.6), but for what a page
 * can neither know nor keep: each such case is named here or in the rule of hand-offs.
 */
import type { Page } from "../world.js";
import { type Entry, isKeeping, isSuccess, type MakeRule, STALL_MS } from "./rule.js";

export const durability: MakeRule = (journal) => {
  const { world, entries, violations, service } = journal;
  const { clock } = world;
  /** A page that comes back begins another life. */
  const lives = new Map<Page, object>();
  const lifeOf = (page: Page): object => lives.get(page) ?? page;
  const seenBy = new Map<string, Set<Page>>();
  /** Tabs that others may have taken for dead. */
  const doubtful = new Set<Page>();
  /** The storage was emptied since the page was hidden last. */
  const isEmptied = new Set<Page>();
  /** There was no room to store all again, when it was emptied or the page was left. */
  const isTight = new Set<Page>();

  const unsettled = (): Entry[] => [...entries.values()].filter(({ stored }) => !stored);
  /** Has the page the event in its memory, for sure? */
  const isHeld = ({ page, life }: Entry): boolean =>
    !page.isDead && !page.isFrozen && life === lifeOf(page) && !doubtful.has(page) && journal.isExact;
  const inFlight = (): Entry[] => world.sent.filter(({ isKnown }) => !isKnown).map(({ name }) => entries.get(name)!);
  const check = (isRight: boolean, what: string): void => {
    if (!isRight) violations.push(`${clock.now()} ms: ${what}`);
  };
  const reportOf = (name: string) =>
    world.pages.flatMap(({ problems }) => problems).find(({ event }) => event?.event_uid === name);

  return {
    onTrack: (entry) => {
      entry.life = lifeOf(entry.page);
    },
    onRestore: (page) => void lives.set(page, {}),
    onClear: () => {
      for (const page of world.pages) {
        isEmptied.add(page);
        if (!isKeeping(journal)) isTight.add(page);
      }
      for (const entry of unsettled()) {
        if (isHeld(entry)) continue;
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
    onHide: (page) => void isEmptied.delete(page),
    onExit: (page) => {
      if (!isKeeping(journal)) isTight.add(page);
    },
    onEnd: (page, how) => {
      // A clean exit stores again what was emptied out; so does the page that is hidden.
      const mayLack = !isKeeping(journal) || (how !== "left" && (isEmptied.has(page) || isTight.has(page)));
      if (!mayLack) return;
      const stored = new Set(world.stored());
      for (const entry of unsettled())
        if (entry.page === page && !stored.has(entry.name)) entry.mayBeLost ??= "only its page had it when that ended";
    },
    onStall: (page, ms) => {
      if (ms < STALL_MS) return;
      doubtful.add(page);
      const kept = new Set(world.stored());
      for (const entry of unsettled())
        if (entry.page === page && !kept.has(entry.name)) {
          entry.mayBeLost ??= "only its page had it, and stood still";
          entry.mayRepeat ??= "only its page had it, and stood still";
        }
      for (const { name, isKnown, page: by } of world.sent)
        if (!isKnown && by === page) entries.get(name)!.mayRepeat ??= "its page stood still with a request in flight";
    },
    onJump: () => {
      // Tabs take each other for dead, whatever is in flight.
      for (const entry of inFlight()) entry.mayRepeat ??= "the clock jumped while it was in flight";
    },
    onBegin: ({ page }, { name, mayRepeat }) =>
      check(!seenBy.get(name)?.has(page) || !!mayRepeat, `${name} is sent by a page that saw it accepted`),
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
        if (isDue(name) && !stored && isDurable && !mayBeLost && !report) violations.push(`${name} is lost`);
      }
      for (const name of waiting) if (isDue(name)) violations.push(`${name} still waits`);
    },
  };
};
