/**
 * What is in flight when a page ends (design §3.4). After a clean exit of a healthy page it counts as stored, and is sent
 * again only where two attempts fail with no success between; after any other end it is sent again.
 */
import type { Page, Sent } from "../world.js";
import { type Entry, HEARD_MS, isKeeping, isSuccess, lockedAt, type MakeRule, SETTLE_MS, YOUNG_MS } from "./rule.js";

/** A request that is unanswered for longer, in milliseconds, is a doubt. */
const DOUBT_MS = 3_000;
/** One that is unanswered for longer, in milliseconds, is forgotten. */
const LOST_MS = 20_000;

/** In place of a time: a mark that its page cannot take away. */
const STUCK = Number.POSITIVE_INFINITY;

/** What is known of the service: by the letter of the design, where it can be read in two ways, or by nobody. */
type Health = "well" | "unsure" | "ill";
/** Whether the page marks an event that is in flight. */
type Mark = "marked" | "unsure" | "unmarked";

const LOST = "handed off, and its request failed";

interface Failure {
  beganAt: number;
  at: number;
  /** Does the answer say that every event will fail, as for a wrong token? */
  isOfAll: boolean;
}

export const handOff: MakeRule = (journal) => {
  const { world, entries, service } = journal;
  const { clock } = world;
  /** Of each page, and of all. */
  const health = new Map<Page | undefined, Health>();
  const healthOf = (page?: Page): Health => health.get(page) ?? "well";
  /** A `Retry-After` holds, and stays stored, until then; no success ends it. */
  let holdsUntil = 0;
  /** Requests that may have been marked since their page went out of sight, or were for sure at that moment. */
  const marked = new Map<Sent, Mark>();
  /** Requests that were in flight at the exit of their page; others may begin after it. */
  const settled = new Set<Sent>();
  /** Requests whose event counts as stored, for sure or perhaps. */
  const handedOff = new Set<Sent>();
  /** Requests that never reached the service, whoever has heard of it. */
  const failed = new Set<Sent>();
  const marks: { entry: Entry; at: number }[] = [];
  /** Failures without a success since, of each page and of all. */
  const failures = new Map<Page | undefined, Failure[]>();
  /** What has failed on a hidden page, and until when its mark may stand all the same. */
  const failedMarks = new Map<Sent, number>();
  /** A page acts on a failure a task later: whether it has already done so, nobody can tell. */
  const failedAt = new Map<Page, number>();
  const hasJustFailed = (page: Page): boolean => clock.now() <= (failedAt.get(page) ?? -1) + page.throttleMs;

  /** In flight, as far as the page has acted on it. */
  const flying = (page: Page): Sent[] =>
    world.sent.filter(
      (sent) =>
        sent.page === page &&
        (!sent.isKnown || (failed.has(sent) && (hasJustFailed(page) || failedMarks.get(sent) === STUCK))),
    );
  const markOf = ({ page, keepalive, name }: Sent): Mark => {
    const hasFailed = entries.get(name)!.failures > 0;
    const own = hasJustFailed(page) ? "unsure" : healthOf(page);
    const ageOf = ({ beganAt }: Sent): number => clock.now() - beganAt;
    const age = Math.max(0, ...flying(page).map(ageOf));
    // What was open in the cache may be answered since: its time counts from the return.
    const sinceReturn = clock.now() - page.restoredAt;
    const hangs = flying(page).some(
      (one) => !one.isKnown && Math.min(ageOf(one), sinceReturn) > DOUBT_MS && ageOf(one) < LOST_MS,
    );
    // A clock that jumps makes ages another thing. Where events are stamped, nothing is inferred.
    if (!keepalive || page.config.stamp || own === "ill" || (hangs && journal.isExact) || !world.isOnline)
      return "unmarked";
    const isWell = !hasFailed && own === "well" && healthOf() === "well";
    return isWell && age < DOUBT_MS && isKeeping(journal) && journal.isExact ? "marked" : "unsure";
  };
  const settle = (sent: Sent, mark: Mark, why: string): void => {
    settled.add(sent);
    const entry = entries.get(sent.name)!;
    if (mark !== "unmarked") handedOff.add(sent);
    if (mark !== "unmarked" && failed.has(sent)) entry.mayBeLost ??= LOST;
    if (mark === "marked") marks.push({ entry, at: clock.now() });
    else entry.mayRepeat ??= why;
  };
  /** Out of sight, a page may mark what is in flight at any time. */
  const lookAt = (page: Page): void => {
    if (page.isHidden)
      for (const sent of flying(page)) if (markOf(sent) !== "unmarked" && !marked.has(sent)) marked.set(sent, "unsure");
  };
  /** It may take the mark away under its lock alone, once that is no longer young; others judge it until they hear of that. */
  const unmark = (sent: Sent, entry: Entry): void => {
    const { page } = sent;
    const mayWrite = clock.now() < entry.trackedAt + YOUNG_MS || clock.now() >= lockedAt(journal, page) + SETTLE_MS;
    const hasOthers = world.pages.some((other) => other !== page && !other.isDead);
    if (hasOthers || !mayWrite) failedMarks.set(sent, mayWrite ? clock.now() + page.throttleMs + HEARD_MS : STUCK);
  };
  const note = (page: Page | undefined, failure: Failure): void => {
    const known = [...(failures.get(page) ?? []), failure];
    failures.set(page, known);
    for (const { entry, at } of marks) {
      const since = known.filter((one) => one.at >= at);
      const needed = journal.isExact && !since.some(({ isOfAll }) => isOfAll) ? 2 : 1;
      if (since.length >= needed) entry.mayRepeat ??= "two attempts failed after the exit";
    }
  };

  return {
    onHide: (page) => {
      for (const sent of flying(page)) if (markOf(sent) === "marked") marked.set(sent, "marked");
      lookAt(page);
    },
    onBegin: ({ page }, { name }) => {
      lookAt(page);
      for (const [sent, until] of failedMarks)
        if (sent.name === name) failedMarks.set(sent, Math.min(until, clock.now() + HEARD_MS));
    },
    onExit: (page) => {
      for (const sent of flying(page))
        settle(sent, markOf(sent), "in flight at the exit of a page that knew of failures");
    },
    onEnd: (page, how) => {
      if (page.isGone && how !== "cut") {
        for (const sent of flying(page))
          if (!settled.has(sent)) settle(sent, markOf(sent), "begun after the exit of a page that knew of failures");
        return;
      }
      lookAt(page);
      for (const sent of flying(page)) {
        const isSure = how === "cut" && marked.get(sent) === "marked" && markOf(sent) === "marked";
        const mark = marked.has(sent) ? "unsure" : "unmarked";
        settle(sent, isSure ? "marked" : mark, "in flight when its page ended without an exit");
      }
    },
    onJump: () => {
      // Others take a tab with a mark for dead, and the mark for one that is over.
      for (const sent of marked.keys())
        if (flying(sent.page).includes(sent)) settle(sent, "unsure", "the clock jumped, and it was marked");
    },
    onFail: (sent, entry, isStored) => {
      if (isStored) return;
      failed.add(sent);
      if (handedOff.has(sent)) entry.mayBeLost ??= LOST;
    },
    onHear: (sent, entry, { status, retryAfter = 0 }) => {
      const { page, beganAt } = sent;
      const { name, failures: times } = entry;
      if (page.isGone) return;
      holdsUntil = Math.max(holdsUntil, clock.now() + retryAfter * 1_000);
      if (isSuccess(status)) {
        // For the page, the success may have come before the failure.
        // Who has yet to be told of another one's failure does not end it.
        const isMixed = hasJustFailed(page) || clock.now() < Math.max(...failedAt.values()) + HEARD_MS;
        for (const [other, known] of health) if (known === "ill") health.set(other, "unsure");
        health.set(page, isMixed ? "unsure" : "well");
        health.set(undefined, isMixed || clock.now() < holdsUntil ? "unsure" : "well");
        // A throttled page judges its failures later than its successes.
        for (const by of [page, undefined])
          failures.set(
            by,
            page.throttleMs ? (failures.get(by) ?? []).filter(({ at }) => at + page.throttleMs > clock.now()) : [],
          );
        lookAt(page);
        return;
      }
      if (marked.has(sent)) unmark(sent, entry);
      failedAt.set(page, clock.now());
      // What fails again may be the cause itself, which says nothing of the others.
      // That a request was cut off on the way into the cache says nothing either.
      const isCut = !status && beganAt <= page.restoredAt;
      const worse: Health = service.poison.has(name) || times > 1 || isCut ? "unsure" : "ill";
      for (const by of [page, undefined]) if (healthOf(by) !== "ill") health.set(by, worse);
      const isOfAll = status >= 300 && status < 500 && ![400, 408, 413, 422, 425, 429].includes(status);
      for (const by of [page, undefined]) note(by, { beganAt, at: clock.now(), isOfAll });
    },
  };
};
