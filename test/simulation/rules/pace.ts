/** A `Retry-After` is obeyed, and a service that fails is asked seldom (design §3.5). */
import type { Page } from "../world.js";
import { HEARD_MS, hasHeard, isKeeping, isSuccess, type MakeRule, mayBeCleared } from "./rule.js";

/** The back-off has grown after this time, in milliseconds; from then on so many requests may come in as much time. */
const WINDOW_MS = 60_000;
const MOST_IN_WINDOW = 24;
/** What is asked for beyond, in seconds, is no pause but a mistake. */
const MOST_RETRY_AFTER_S = 3_600;

export const pace: MakeRule = (journal) => {
  const { world } = journal;
  const { clock } = world;
  /** Times of day at which the pages may send nothing; `undefined` stands for all pages. */
  let holds: { at: number; by: Page; from: number; until: number; isFor: Page | undefined }[] = [];
  /** When requests that are to fail began, since the last one that was not. */
  let failing: number[] = [];
  /** Until this time of day the service has set the pace itself. */
  let pacedUntil = 0;
  let clears: number[] = [];
  /** When each page began a request last, or heard of the end of one: it may have written the back-off then. */
  const wroteAt = new Map<Page, number>();
  let hasFailed = false;

  const isIn = (at: number): boolean => at > clock.now() - WINDOW_MS;
  const checkRate = (): void => {
    const [first] = failing as [number];
    const count = failing.filter((at) => isIn(at) && at >= first + WINDOW_MS).length;
    // What is full, and that an event is a suspect, each page finds out for itself.
    const isShared = isKeeping(journal) && !journal.service.poison.size;
    const tabs = isShared ? 1 : world.pages.filter(({ isDead }) => !isDead).length;
    const most = MOST_IN_WINDOW * (tabs + clears.filter(isIn).length);
    if (count > most) journal.violate(`${count} requests in a minute to a service that fails`);
  };

  /** The page may write the back-off, over one that it has yet to hear of. */
  const write = (page: Page): void => {
    wroteAt.set(page, clock.now());
    holds = holds.filter(({ at, by }) => by === page || hasHeard(journal, page, at));
  };

  return {
    onChoice: () => {
      holds = [];
      pacedUntil = 0;
      failing = [];
    },
    // It has ended before it could store what it heard.
    onEnd: (page) => {
      holds = holds.filter(({ at, by, isFor }) => isFor || by !== page || at < clock.now());
    },
    onJump: () => {
      failing = [];
    },
    onClear: (by, isByKey) => {
      clears = [...clears.filter(isIn), clock.now()];
      // Who has heard of it goes on; others need not know. The removal of its key alone tells others that the back-off is over.
      holds = holds
        .filter(({ isFor }) => isFor && !isFor.isDead && (!isByKey || isFor === by))
        // Whoever writes the next one knows of none.
        .map((one) => ({ ...one, at: Number.POSITIVE_INFINITY }));
    },
    onHear: ({ page, beganAt }, _, { status, retryAfter }) => {
      hasFailed ||= !isSuccess(status);
      if (hasFailed) write(page);
      if (!retryAfter) return;
      // The service sets the pace itself.
      failing = [];
      // A page that came back has let go of the requests of before: their answers say nothing to it.
      if (page.isGone || beganAt <= page.restoredAt) return;
      const [at, from] = [clock.now(), clock.wall()];
      const until = from + Math.min(retryAfter, MOST_RETRY_AFTER_S) * 1_000;
      pacedUntil = Math.max(pacedUntil, until);
      const isCleared = mayBeCleared(journal, page);
      // Of two pages that write the back-off at the same time, nobody can tell who is the last.
      const isRace = [...wroteAt].some(([other, at]) => other !== page && clock.now() < at + HEARD_MS);
      if (isRace || (isCleared && journal.cleared.isByKey)) return;
      holds.push({ at, by: page, from, until, isFor: page });
      if (isKeeping(journal) && !isCleared)
        holds.push({ at, by: page, from: from + HEARD_MS, until, isFor: undefined });
    },
    onBegin: ({ page }, { name }, willFail) => {
      if (!willFail) failing = [];
      else failing = [...failing.filter((at, index) => !index || isIn(at)), clock.now()];
      const known = holds;
      // A probe is noted in the back-off, if there is one.
      if (hasFailed) write(page);
      if (!journal.isExact) return;
      const time = clock.wall();
      // What finds no room is known to one page alone, which may write over what another one knows.
      const isShared = isKeeping(journal) || world.pages.filter(({ isDead }) => !isDead).length === 1;
      const isKnown = ({ at, isFor }: (typeof holds)[number]): boolean =>
        isFor === page || (!isFor && hasHeard(journal, page, at));
      if (isShared && known.some((one) => isKnown(one) && time >= one.from && time < one.until))
        journal.violate(`${name} is sent although Retry-After holds`);
      // Where the service says when to come, that is the pace.
      if (time < pacedUntil + WINDOW_MS) failing = [];
      else if (willFail) checkRate();
    },
  };
};
