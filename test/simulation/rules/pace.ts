/** A `Retry-After` is obeyed, and a service that fails is asked seldom (design §3.5). */
import type { Page } from "../world.js";
import { HEARD_MS, isKeeping, type MakeRule } from "./rule.js";

/** The back-off has grown after this time, in milliseconds; from then on so many requests may come in as much time. */
const WINDOW_MS = 60_000;
const MOST_IN_WINDOW = 24;
/** What is asked for beyond, in seconds, is no pause but a mistake. */
const MOST_RETRY_AFTER_S = 3_600;

export const pace: MakeRule = (journal) => {
  const { world, violations } = journal;
  const { clock } = world;
  /** Times of day at which the pages may send nothing; `undefined` stands for all pages. */
  let holds: { from: number; until: number; isFor: Page | undefined }[] = [];
  const gone = new Set<Page>();
  /** When requests that are to fail began, since the last one that was not. */
  let failing: number[] = [];
  let clears: number[] = [];

  const isIn = (at: number): boolean => at > clock.now() - WINDOW_MS;
  const checkRate = (): void => {
    const [first] = failing as [number];
    const count = failing.filter((at) => isIn(at) && at >= first + WINDOW_MS).length;
    const tabs = isKeeping(journal) ? 1 : world.pages.filter(({ isDead }) => !isDead).length;
    const most = MOST_IN_WINDOW * (tabs + clears.filter(isIn).length);
    if (count > most) violations.push(`${clock.now()} ms: ${count} requests in a minute to a service that fails`);
  };

  return {
    onExit: (page) => void gone.add(page),
    onRestore: (page) => void gone.delete(page),
    onChoice: () => {
      holds = [];
      failing = [];
    },
    onJump: () => {
      failing = [];
    },
    onClear: () => {
      clears = [...clears.filter(isIn), clock.now()];
      // Who has heard of it goes on; others need not know.
      holds = holds.filter(({ isFor }) => isFor && !isFor.isDead);
    },
    onHear: ({ page }, _, { retryAfter }) => {
      if (!retryAfter) return;
      // The service sets the pace itself.
      failing = [];
      if (gone.has(page)) return;
      const from = clock.wall();
      const until = from + Math.min(retryAfter, MOST_RETRY_AFTER_S) * 1_000;
      holds.push({ from, until, isFor: page });
      if (isKeeping(journal)) holds.push({ from: from + HEARD_MS, until, isFor: undefined });
    },
    onBegin: ({ page }, { name }, willFail) => {
      failing = willFail ? [...failing.filter((at, index) => !index || isIn(at)), clock.now()] : [];
      if (!journal.isExact) return;
      const time = clock.wall();
      // What finds no room is known to one page alone, which may write over what another one knows.
      const isShared = isKeeping(journal) || world.pages.filter(({ isDead }) => !isDead).length === 1;
      if (isShared && holds.some(({ from, until, isFor }) => (isFor ?? page) === page && time >= from && time < until))
        violations.push(`${clock.now()} ms: ${name} is sent although Retry-After holds`);
      // Where the service says when to come, that is the pace.
      if (holds.some(({ until }) => time < until + WINDOW_MS)) failing = [];
      else if (willFail) checkRate();
    },
  };
};
