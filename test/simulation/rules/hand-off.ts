/**
 * What is in flight when a page ends (design §3.4). After a clean exit of a healthy page its row says that it counts as stored:
 * it is sent again only where two attempts fail with no success between. After any other end it is sent again.
 */
import type { Page, Sent } from "../world.js";
import { type Entry, HEARD_MS, isKeeping, isSuccess, type MakeRule, TOLD_MS } from "./rule.js";

/** A request that is unanswered for longer, in milliseconds, is a doubt. */
const DOUBT_MS = 3_000;

/** What an exit must write into the row; where nobody can say for sure, nothing. */
type Sign = "likely" | "unlikely" | undefined;

const LOST = "handed off, and its request failed";

export const handOff: MakeRule = (journal) => {
  const { world, entries, service } = journal;
  const { clock } = world;
  /** Pages that have heard of a failure, and of no success of their own since. */
  const ill = new Set<Page>();
  /** Since when a page knows that the service is well. */
  let wellAt = Number.NEGATIVE_INFINITY;
  let succeededAt = Number.NEGATIVE_INFINITY;
  let failedAt = Number.NEGATIVE_INFINITY;
  /** A `Retry-After` holds, and stays stored, until then; no success ends it. */
  let holdsUntil = 0;
  /** Requests that their page has left with the sign that they have most likely arrived. */
  const handedOff = new Set<Sent>();
  const settled = new Set<Sent>();
  /** Requests that never reached the service, whoever has heard of it. */
  const failed = new Set<Sent>();
  const marks: { entry: Entry; at: number }[] = [];
  /** Failures without a success since, of each page and of all. */
  const failures = new Map<Page | undefined, { at: number; isOfAll: boolean }[]>();

  /** The lease in the row of an event; below zero it is the sign. */
  const leaseOf = ({ key = "" }: Entry): number | undefined => {
    const row = world.storage.latest()[key];
    return row === undefined ? undefined : Number(row.split(",")[1]);
  };
  /** A page acts on an answer a task later, and a throttled one later still. */
  const hasSettled = (page: Page): boolean => clock.now() > failedAt + page.throttleMs;
  const openOf = (page: Page): Sent[] => world.sent.filter((sent) => sent.page === page && !sent.isKnown);
  const signOf = ({ page, keepalive, name }: Sent): Sign => {
    if (!journal.isExact || !isKeeping(journal) || page.restoredAt > 0 || page.resumedAt > 0 || page.isFrozen)
      return undefined;
    // Who stood still may write a back-off that was over; a success ends it.
    if (world.pages.some(({ resumedAt }) => resumedAt > succeededAt)) return undefined;
    const age = clock.now() - Math.min(...openOf(page).map(({ beganAt }) => beganAt));
    if (!keepalive || !world.isOnline || age > DOUBT_MS) return "unlikely";
    if (ill.has(page)) return hasSettled(page) ? "unlikely" : undefined;
    // Of the end of a back-off pages are told as late as of any removal, and until then they may write it once more.
    const isTold = !failures.get(page)?.length && clock.now() >= wellAt + TOLD_MS;
    const isWell = isTold && age < DOUBT_MS && !entries.get(name)!.failures;
    return isWell ? "likely" : undefined;
  };
  /** The row tells the next page what to do; where there is none, another one may have done either. */
  const settle = (page: Page): void => {
    for (const sent of world.sent) {
      const entry = entries.get(sent.name)!;
      if (sent.page !== page || (sent.isKnown && !failed.has(sent))) continue;
      const lease = leaseOf(entry);
      settled.add(sent);
      const isLikely = lease !== undefined && lease < 0;
      if (isLikely) handedOff.add(sent);
      if (handedOff.has(sent) && failed.has(sent)) entry.mayBeLost ??= LOST;
      if (isLikely) marks.push({ entry, at: clock.now() });
      else if (!sent.isKnown) entry.mayRepeat ??= "in flight when its page ended, without the sign that it has arrived";
    }
  };

  return {
    onExit: (page) => {
      // Its process may have ended in the middle of its exit.
      for (const sent of page.isDead ? [] : openOf(page)) {
        const lease = leaseOf(entries.get(sent.name)!);
        const expected = lease === undefined ? undefined : signOf(sent);
        if (expected && lease! < 0 !== (expected === "likely"))
          journal.violate(`${sent.name} has the lease ${lease}, and has ${expected} arrived`);
      }
      settle(page);
    },
    onEnd: (page, how) => {
      if (how !== "left" || openOf(page).some((sent) => !settled.has(sent))) settle(page);
    },
    onStop: (page) => {
      // Where it stands still until the lease is over, others judge what it has open.
      for (const sent of openOf(page)) if ((leaseOf(entries.get(sent.name)!) ?? 0) < 0) handedOff.add(sent);
    },
    onJump: () => {
      // Others take the lease of what is open for over, also where its sign is gone, and they have yet to see that.
      for (const sent of world.sent) if (!sent.isKnown) handedOff.add(sent);
    },
    onFail: (sent, entry, isStored) => {
      if (isStored) return;
      failed.add(sent);
      if (handedOff.has(sent)) entry.mayBeLost ??= LOST;
    },
    onHear: ({ page, name, beganAt }, entry, { status, retryAfter = 0 }) => {
      if (page.isGone) return;
      holdsUntil = Math.max(holdsUntil, clock.now() + retryAfter * 1_000);
      if (isSuccess(status)) {
        ill.delete(page);
        succeededAt = clock.now();
        if (clock.now() >= Math.max(failedAt + HEARD_MS + page.throttleMs, holdsUntil))
          wellAt = Math.min(wellAt, clock.now());
        // A throttled page judges its failures later than its successes.
        for (const by of [page, undefined])
          failures.set(
            by,
            page.throttleMs ? (failures.get(by) ?? []).filter(({ at }) => at + page.throttleMs > clock.now()) : [],
          );
        return;
      }
      // It has its row still, and sends it again.
      if (entry.mayBeLost === LOST && leaseOf(entry) !== undefined) entry.mayBeLost = undefined;
      failedAt = clock.now();
      wellAt = Number.POSITIVE_INFINITY;
      // What fails again may be the cause itself, and what was cut off on the way into the cache: both say nothing of the service.
      if (!service.poison.has(name) && entry.failures <= 1 && (status || beganAt > page.restoredAt)) ill.add(page);
      const isOfAll = status >= 300 && status < 500 && ![400, 408, 413, 422, 425, 429].includes(status);
      for (const by of [page, undefined]) {
        const known = [...(failures.get(by) ?? []), { at: clock.now(), isOfAll }];
        failures.set(by, known);
        for (const mark of marks) {
          const since = known.filter((one) => one.at >= mark.at);
          const needed = journal.isExact && !since.some((one) => one.isOfAll) ? 2 : 1;
          if (since.length >= needed) mark.entry.mayRepeat ??= "two attempts failed after the exit";
        }
      }
    },
  };
};
