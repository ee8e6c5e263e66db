/**
 * Nothing that was durable is lost or waits for ever, and nothing is stored twice (design §3.1 to 3.6), but for what a page
 * can neither know nor keep: each such case is named here or in the rule of hand-offs.
 */
import { SOME_REFUSED } from "../network.js";
import type { Page, Sent } from "../world.js";
import {
  type Entry,
  FIRST_LEASE_MS,
  HEARD_MS,
  isKeeping,
  isSuccess,
  type MakeRule,
  mayBeCleared,
  TOLD_MS,
  YOUNG_MS,
} from "./rule.js";

/** So long after the beginning of a request its events may have the first lease alone, and then the long one; in milliseconds. */
const LEASED_MS = 520;
const LONG_LEASE_MS = 20_000;

export const durability: MakeRule = (journal) => {
  const { world, entries, service } = journal;
  const { clock } = world;
  const seenBy = new Map<string, Set<Page>>();
  /** Requests whose page stopped before it had written their long lease. */
  const unprotected = new Set<Sent>();
  /** It emptied the storage, which nobody tells it, or had no room: what is its own, it stores with its next event, attempt or exit. */
  const mayLack = new Set<Page>();

  /** When and by whom each event was delivered, as its page heard. */
  const delivered = new Map<Entry, { at: number; by: Page }>();
  /** When the first event was tracked since nothing was stored. */
  let beganAt: number | undefined;

  const unsettled = (): Entry[] => [...entries.values()].filter(({ stored }) => !stored);
  /** Has the page the event in its memory, for sure? */
  const isHeld = ({ page, life }: Entry): boolean => !page.isDead && !page.isFrozen && life === page.life;
  /** Why an event may be sent although this request is open, or its page has yet to hear of its end. */
  const whyAgain = (sent: Sent, { trackedAt }: Entry): string | undefined => {
    const { page, beganAt } = sent;
    if (clock.now() >= beganAt + LONG_LEASE_MS) return "its page stood still for longer than the lease";
    const isOver = clock.now() >= trackedAt + FIRST_LEASE_MS;
    const wasLate = page.isFrozen || page.resumedAt > trackedAt + FIRST_LEASE_MS - HEARD_MS;
    if (isOver && wasLate && unprotected.has(sent))
      return "its page stood still before it had written the long lease of its request";
    return undefined;
  };
  /** Was the page told of what was removed then? */
  const isTold = (page: Page, at: number): boolean =>
    (page.isFrozen ? page.stoppedAt : clock.now()) >= Math.max(at, page.resumedAt) + TOLD_MS;
  /** Who has tracked it learns from the removal of its row that it was delivered; there is none any more. */
  const lateRemoval = (page: Page, entry: Entry): void => {
    if (page !== entry.page) entry.mayRepeat ??= "the storage was emptied while another page was sending it";
  };
  const loseCleared = (page: Page): void => {
    if (mayBeCleared(journal, page))
      for (const entry of unsettled())
        if (entry.page === page) entry.mayBeLost ??= "its page was left before it heard that the storage was emptied";
  };
  const check = (isRight: boolean, what: string): void => {
    if (!isRight) journal.violate(what);
  };
  const reportOf = (name: string) =>
    world.pages.flatMap(({ problems }) => problems).find(({ event }) => event?.event_uid === name);

  return {
    onClear: (by, isByKey) => {
      mayLack.add(by);
      for (const { name, page } of world.sent.filter(({ isKnown }) => !isKnown)) lateRemoval(page, entries.get(name)!);
      for (const [entry, { at, by }] of delivered) if (!isTold(entry.page, at)) lateRemoval(by, entry);
      beganAt = undefined;
      for (const entry of unsettled()) {
        // Of rows that go key by key, others may see the first gone and `here` still there (design §3.6).
        if (isHeld(entry) && (entry.page === by || !isByKey)) continue;
        entry.mayBeLost ??= "the storage was emptied, and no page held it for sure";
        // Whoever comes back cannot tell an emptied storage from one whose rows others have sent.
        if (!entry.page.isDead) entry.mayRepeat ??= "the storage was emptied while its page stood still";
      }
    },
    onTrack: ({ page }) => {
      beganAt ??= clock.now();
      if (isKeeping(journal)) mayLack.delete(page);
      else mayLack.add(page);
    },
    onChoice: (_, choice) => {
      beganAt = undefined;
      if (choice === "denied")
        for (const entry of unsettled())
          if (!isHeld(entry) && !entry.page.isDead) entry.mayRepeat ??= "its page stood still while all was forgotten";
    },
    onExit: (page) => {
      if (!isKeeping(journal)) mayLack.add(page);
      loseCleared(page);
    },
    onEnd: (page, how) => {
      loseCleared(page);
      for (const [entry, { at, by }] of delivered)
        if (by === page && at === clock.now())
          entry.mayRepeat ??= "its page ended before it had removed what was delivered";
      const isTelling = how !== "left" && (mayLack.has(page) || !isTold(page, journal.cleared.at));
      if (isKeeping(journal) && !isTelling) return;
      const stored = new Set(world.stored());
      for (const entry of unsettled())
        if (entry.page === page && !stored.has(entry.name)) entry.mayBeLost ??= "only its page had it when that ended";
    },
    onStop: (page) => {
      // Of two pages that find nothing stored at the same time, one reads the other's `here`, and takes its own for emptied.
      if (clock.now() < (beganAt ?? 0) + HEARD_MS)
        for (const entry of entries.values())
          if (entry.page === page)
            entry.mayRepeat ??= "its page stood still before it knew who had stored something first";
      for (const sent of world.sent)
        if (sent.page === page && !sent.isKnown && clock.now() < sent.beganAt + LEASED_MS) unprotected.add(sent);
    },
    onJump: () => {
      for (const { name } of world.sent.filter(({ isKnown }) => !isKnown))
        entries.get(name)!.mayRepeat ??= "the clock jumped while its request was open";
      for (const entry of unsettled())
        if (clock.now() < entry.trackedAt + YOUNG_MS)
          entry.mayRepeat ??= "the clock jumped, so that others took it for older than it was";
    },
    onBegin: (sent, entry) => {
      const { page } = sent;
      for (const other of world.sent)
        if (other !== sent && other.name === entry.name && !other.isKnown) entry.mayRepeat ??= whyAgain(other, entry);
      check(
        !seenBy.get(entry.name)?.has(page) || !!entry.mayRepeat,
        `${entry.name} is sent by a page that saw it accepted`,
      );
    },
    onHear: ({ page }, entry, { status }) => {
      // Not what became of each.
      if (!isSuccess(status) || status === SOME_REFUSED) return;
      seenBy.set(entry.name, (seenBy.get(entry.name) ?? new Set()).add(page));
      delivered.set(entry, { at: clock.now(), by: page });
      if (entry.key && !(entry.key in world.storage.latest()))
        entry.mayRepeat ??= "it had no row any more, whose removal tells others that it was delivered";
      // Who has tracked it hears after that of the emptying, and takes it for the reason why the row is gone.
      if (!isTold(entry.page, journal.cleared.at)) lateRemoval(page, entry);
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
