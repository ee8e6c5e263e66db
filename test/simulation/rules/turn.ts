/** One page at a time sends what is no longer young, of all pages (design §3.4). */
import type { Sent } from "../world.js";
import { HEARD_MS, isKeeping, type MakeRule, YOUNG_MS } from "./rule.js";

/** A turn holds for so long after its last event, in milliseconds. */
const TURN_MS = 5_000;
/** Who wants it reads so long after it has written it; in milliseconds. */
const SETTLE_MS = 600;

export const turn: MakeRule = (journal) => {
  const { world } = journal;
  const { clock } = world;
  /** Requests that were begun in a turn. */
  const begun = new Set<Sent>();
  /** Has its page the turn still, and does it know that? */
  const isHolding = ({ page, beganAt, isKnown }: Sent): boolean =>
    !isKnown &&
    !page.isDead &&
    !page.isGone &&
    !page.isFrozen &&
    page.resumedAt < beganAt &&
    clock.now() < beganAt + TURN_MS - HEARD_MS;

  return {
    onBegin: (sent, entry) => {
      const { page } = sent;
      // What is in memory alone, or was written back, is nobody else's.
      if (!journal.isExact || !entry.isDurable || !isKeeping(journal) || entry.trackedAt < journal.cleared.at) return;
      if (entry.page === page && clock.now() < entry.trackedAt + YOUNG_MS) return;
      // Who stood still had yet to hear whose turn it is as it asked, and takes that away: the leases keep what is open.
      if (clock.now() < page.resumedAt + SETTLE_MS + HEARD_MS) return;
      const knownAt = Math.max(journal.cleared.at, page.resumedAt + HEARD_MS);
      for (const other of begun)
        if (other.page !== page && isHolding(other) && knownAt < other.beganAt)
          journal.violate(`${sent.name} is sent in the turn in which ${other.name} is open`);
      begun.add(sent);
    },
    onChoice: () => begun.clear(),
  };
};
