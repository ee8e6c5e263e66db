/** After `optOut()` nothing is sent, and nothing of ours stays stored but the choice (design §3.11). */
import type { Page } from "../world.js";
import { HEARD_MS, hasHeard, isKeeping, type MakeRule, mayBeCleared } from "./rule.js";

export const consent: MakeRule = (journal) => {
  const { world, entries } = journal;
  const { clock } = world;
  /** The choice that is stored; nobody can tell once the storage was emptied or full. */
  let choice: "granted" | "denied" | undefined;
  let isKnown = true;
  /** Of two choices in two pages at the same time, nobody can tell which is the last. */
  let isRace = false;
  const choices: { page: Page; next: string; at: number }[] = [];
  /** When a page ended last. */
  let endedAt = Number.NEGATIVE_INFINITY;
  let since = 0;
  let by: Page | undefined;
  /** Where a page had yet to hear of the last choice when it ended, or refused, what was written meanwhile stays until the next page. */
  let mayLinger = false;
  const pending = new Set<Page>();

  const forget = (): void => {
    for (const entry of entries.values()) if (!entry.stored) entry.mayBeLost ??= "the visitor refused";
  };
  const isHeard = (): boolean => world.pages.every((page) => hasHeard(journal, page, since));
  const end = (): void => {
    endedAt = clock.now();
    mayLinger ||= choice === "denied" && !isHeard();
  };
  /** Once every page that runs has heard of it. */
  const check = (): void => {
    const keys = Object.keys(world.storage.rows).filter((key) => key.startsWith("tracklet:"));
    const isCalm = isHeard() && !world.pages.some(({ isDead, isFrozen }) => !isDead && isFrozen);
    if (choice !== "denied" || !isKnown || mayLinger || !isCalm || keys.length < 2) return;
    journal.violate(`after the refusal there are still ${keys.join(", ")}`);
  };

  return {
    onOpen: (page) => {
      // Who comes later removes it, which takes a moment; a page that nobody has visited yet reads nothing.
      if (mayLinger && isHeard() && !page.isPrerendering) {
        mayLinger = false;
        since = clock.now();
      }
      // It may still read an agreement that has just been taken back.
      const mayAgree = choice === "granted" || (!isHeard() && choices.some(({ next }) => next === "granted"));
      if (page.config.consent === "pending" && !mayAgree) pending.add(page);
    },
    onTrack: (entry) => {
      check();
      if (choice === "denied" || isRace) entry.mayBeLost = "the visitor has refused, or may have";
      const isLate = choices.some(
        ({ page, next, at }) => next === "denied" && page !== entry.page && !hasHeard(journal, entry.page, at),
      );
      if (isLate) entry.mayBeLost ??= "its page may have yet to hear of a refusal that was taken back";
    },
    onChoice: (page, next) => {
      isRace = choices.some((other) => other.page !== page && other.next !== next && clock.now() < other.at + HEARD_MS);
      choices.push({ page, next, at: clock.now() });
      by = page;
      if (next === "granted") pending.clear();
      // What a page has written as it ended may come after the refusal.
      mayLinger ||= next === "denied" && (!isHeard() || clock.now() < endedAt + HEARD_MS);
      choice = next;
      since = clock.now();
      isKnown = isKeeping(journal) && !isRace && !mayBeCleared(journal, page);
      if (next === "denied" || isRace) forget();
    },
    onClear: () => {
      check();
      isKnown = false;
    },
    onExit: () => {
      end();
      check();
    },
    onEnd: end,
    onBegin: ({ page }, { name }) => {
      const isRefused =
        (choice === "denied" && (by === page || isHeard())) || (pending.has(page) && choice !== "granted");
      if (isKnown && isRefused) journal.violate(`${name} is sent without consent`);
    },
    verify: check,
  };
};
