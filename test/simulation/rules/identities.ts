/**
 * Whose an event is (design §3.9): the document's own `identify` holds for its events; one that named nobody uses what is
 * stored; what nobody was named for gets the next identity that its page hears of, but never one from after a `reset()`, and
 * what is tracked between a `reset()` and the next `identify` gets none. With `identity: "page"` it is whom its own document names.
 */
import type { Page } from "../world.js";
import { type Entry, FIRST_LEASE_MS, HEARD_MS, hasHeard, isKeeping, type MakeRule } from "./rule.js";

/** Contact and account in one text; nobody is `undefined`. */
type Identity = string | undefined;
interface Change {
  at: number;
  /** Its place among all that happened, for what happens in the same millisecond. */
  place: number;
  by: Page | undefined;
  /** What may be stored since: several where nobody can tell. */
  values: Set<Identity>;
  /** Was it made by a page that had yet to hear of a log-out? Then it may undo that, and what was tracked since goes with it. */
  isBlind?: boolean;
  /** Do others learn of it for sure? */
  isSure?: boolean;
}
interface Own {
  id: string;
  at: number;
  place: number;
  /** The log-outs that the page had yet to hear of when it named somebody: they may end what it knows, or be known to it. */
  unheard: Change[];
}
interface Owned {
  allowed: Set<string>;
  /** May it still get an identity that is named later? */
  isOpen: boolean;
  /** When it may have got one first. */
  addressedAt?: number;
  /** Was that one named by another page? */
  isTold?: boolean;
  /** The log-out since which it can get none. */
  closedBy?: Change;
}

const UNHEARD = "its page has yet to hear of a reset";
const UNDONE = "who was named without knowledge of the reset was stored over it";

export const identities: MakeRule = (journal) => {
  const { world } = journal;
  const { clock } = world;
  let place = 0;
  const own = new Map<Page, Own>();
  const changes: Change[] = [{ at: 0, place, by: undefined, values: new Set([undefined]) }];
  const resets: Change[] = [];
  const owned = new Map<Entry, Owned>();
  const openedAt = new Map<Page, number>();
  /** Pages of which nobody can tell what they know. */
  const doubtful = new Set<Page>();
  /** Pages whose visitor has refused or has yet to agree, so that they store nothing. */
  const closed = new Set<Page>();
  /** The last agreement, of which the others have yet to hear. */
  let agreed: { at: number; by?: Page } = { at: Number.NEGATIVE_INFINITY };
  let isRefused = false;
  /** Has somebody logged out where nothing might be stored? Others hear of it once the visitor agrees. */
  let isUntold = false;
  const keeps = (page: Page): boolean =>
    isKeeping(journal) && !closed.has(page) && (agreed.by === page || clock.now() >= agreed.at + HEARD_MS);

  const text = (contact: string, account?: string): string => `${contact}/${account ?? ""}`;
  const knows = (page: Page, { at, by }: Change): boolean =>
    by === page || (!page.isFrozen && hasHeard(journal, page, at));
  /** What the page may take for stored. */
  const storedFor = (page: Page): Set<Identity> => {
    const values = new Set<Identity>();
    for (const change of changes.toReversed()) {
      for (const value of change.values) values.add(value);
      if (knows(page, change)) break;
    }
    return values;
  };
  /** A page that was opened once the reset id was emptied out of the storage takes it for a new one when another page writes it. */
  const isNews = (page: Page, { at }: Change): boolean =>
    at <= journal.cleared.at && (openedAt.get(page) ?? 0) >= journal.cleared.at;
  /** @returns whether others learn of it for sure */
  const change = (by: Page, values: Identity[]): boolean => {
    const former = changes.at(-1)!;
    // Of two pages that write at the same time, nobody can tell who is the last.
    const races = changes.filter((other) => other.by !== undefined && !knows(by, other));
    const isSure = keeps(by) && !races.length;
    const unheard = races.filter((other) => resets.includes(other));
    const all = isSure ? values : [...values, ...[former, ...races].flatMap((other) => [...other.values])];
    changes.push({ at: clock.now(), place: ++place, by, values: new Set(all), isBlind: unheard.length > 0, isSure });
    for (const [entry, state] of owned) {
      if (!state.closedBy || !unheard.includes(state.closedBy) || entry.stored) continue;
      entry.mayBeLost ??= UNDONE;
      state.isOpen = true;
    }
    // What could not be stored is known to nobody else.
    if (!keeps(by)) for (const page of world.pages) if (page !== by) doubtful.add(page);
    return isSure;
  };
  /** Is a contact in its row? Who hears of one late leaves that to whoever sends the event: another page may have it by then. */
  const isAddressed = ({ page, trackedAt }: Entry, { addressedAt, isTold }: Owned): boolean => {
    if (addressedAt === undefined || page.isDead || page.isFrozen || !hasHeard(journal, page, addressedAt))
      return false;
    const heardAt = Math.max(addressedAt, page.resumedAt) + HEARD_MS;
    return !isTold || (journal.isExact && heardAt < trackedAt + FIRST_LEASE_MS);
  };
  /** Whom a page with `identity: "page"` has named. */
  const named = new Map<Page, Set<string>>();
  const identify = (page: Page, id: string): void => {
    if (page.config.identity === "page") {
      named.set(page, (named.get(page) ?? new Set()).add(id));
      return;
    }
    const unheard = resets.filter((reset) => !knows(page, reset) || isNews(page, reset));
    own.set(page, { id, at: clock.now(), place: ++place, unheard });
    doubtful.delete(page);
    const isSure = change(page, [id]);
    for (const [entry, state] of owned) {
      if (!state.isOpen || entry.stored) continue;
      if (unheard.length) entry.mayBeLost ??= UNDONE;
      if (isAddressed(entry, state)) state.isOpen = false;
      else {
        state.allowed.add(id);
        if (state.addressedAt === undefined) state.isTold ||= page !== entry.page;
        if (isSure) state.addressedAt ??= clock.now();
      }
    }
  };

  const track = (entry: Entry): void => {
    const { page } = entry;
    if (page.config.identity === "page") return;
    const isUnheard =
      resets.some((reset) => !knows(page, reset)) || changes.some((other) => other.isBlind && !knows(page, other));
    if (doubtful.has(page)) {
      if (isUnheard || isUntold) entry.mayBeLost ??= UNHEARD;
      return;
    }
    const mine = own.get(page);
    const later = resets.filter((reset) => mine && reset.place > mine.place);
    // Of a log-out that comes while the name is on its way, nobody can tell which is the last.
    // Nor does anybody learn of one over which somebody was named at the same time.
    const isUndone = ({ at }: Change) => changes.some((other) => other.isBlind && Math.abs(other.at - at) < HEARD_MS);
    const isTold = later.some((reset) => reset.at >= mine!.at + HEARD_MS && knows(page, reset) && !isUndone(reset));
    const isOwn = mine && !mine.unheard.length && !later.length;
    const stored = storedFor(page);
    const allowed = new Set<string>();
    if (mine && !isTold) allowed.add(mine.id);
    if (!isOwn) for (const value of stored) if (value) allowed.add(value);
    const isLoggedOut =
      journal.cleared.at < 0 &&
      resets.some((reset) => (reset.by === page || reset.isSure) && knows(page, reset)) &&
      !changes.some(({ isBlind }) => isBlind);
    const isOpen = !isOwn && stored.has(undefined) && !isLoggedOut;
    owned.set(entry, { allowed, isOpen });
    if (isOpen && (isUnheard || isUntold)) entry.mayBeLost ??= UNHEARD;
  };

  return {
    onOpen: (page) => {
      const { contactUid, accountUid, consent } = page.config;
      openedAt.set(page, clock.now());
      if (consent === "pending" || isRefused) closed.add(page);
      if (contactUid) page.whenVisited(() => identify(page, text(`${contactUid}`, accountUid as string)));
    },
    onTrack: (entry) => entry.page.whenVisited(() => track(entry)),
    onIdentify: (page, contact, account) => identify(page, text(contact, account)),
    onReset: (page) => {
      isUntold ||= closed.has(page);
      own.delete(page);
      // What others name without knowledge of it may be stored over it.
      for (const other of changes) if (other.by !== undefined && !knows(page, other)) other.isBlind = true;
      const isSure = change(page, [undefined]);
      const reset = changes.at(-1)!;
      resets.push(reset);
      for (const entry of journal.entries.values())
        if (!entry.stored && !owned.has(entry)) entry.mayBeLost ??= "perhaps nobody was named for it before the reset";
      for (const [entry, state] of owned) {
        if (!state.isOpen || entry.stored) continue;
        if (!isAddressed(entry, state)) entry.mayBeLost ??= "nobody was named for it before the reset";
        if (isSure) Object.assign(state, { isOpen: false, closedBy: reset });
      }
    },
    onClear: (page) => {
      // Who knows of a refusal stores it again when it is left.
      isRefused &&= world.pages.some((other) => closed.has(other) && !other.isDead);
      // What nobody has heard of is forgotten: that somebody was named, or has logged out.
      for (const state of owned.values())
        if (clock.now() < (state.addressedAt ?? 0) + HEARD_MS) state.addressedAt = undefined;
      const last = resets.at(-1);
      if (last && clock.now() < last.at + HEARD_MS) for (const state of owned.values()) state.isOpen = true;
      // Each page goes on with what it has heard of.
      const values = new Set(world.pages.flatMap((other) => [...storedFor(other)])).add(undefined);
      for (const [other, { id }] of own) if (!other.isDead) values.add(id);
      changes.push({ at: clock.now(), place: ++place, by: page, values });
      for (const other of world.pages) if (other.isFrozen) doubtful.add(other);
      for (const [entry] of owned) if (entry.page.isFrozen) owned.delete(entry);
    },
    onChoice: (by, choice) => {
      if (choice === "granted") {
        agreed = { at: clock.now(), by };
        // What they know is stored now, unless somebody has chosen before.
        const knowing = [...closed].filter((page) => !page.isDead && own.has(page));
        if (isUntold) for (const [entry, state] of owned) if (state.isOpen) entry.mayBeLost ??= UNHEARD;
        closed.clear();
        isRefused = false;
        for (const page of knowing) change(page, [own.get(page)!.id]);
        return;
      }
      isRefused = true;
      for (const page of world.pages) {
        closed.add(page);
        // What was known is forgotten; who forgets when is nobody's promise.
        doubtful.add(page);
      }
      changes.push({
        at: clock.now(),
        place: ++place,
        by: undefined,
        values: new Set([...changes.at(-1)!.values, undefined]),
      });
      for (const [entry, { isOpen }] of owned) if (isOpen) owned.delete(entry);
    },
    onBegin: ({ body, page }, entry) => {
      const { contact_uid, params } = JSON.parse(body);
      // Its own page has written it back, and knows nothing of the contact that another one gave it.
      const isBack = entry.stored && (entry.page === page || entry.mayRepeat);
      const state = isBack ? undefined : owned.get(entry);
      const id = text(contact_uid, params.account_uid);
      if (!contact_uid) journal.violate(`${entry.name} is sent without a contact`);
      else if (entry.page.config.identity === "page" && !named.get(entry.page)?.has(id))
        journal.violate(`${entry.name} is sent as ${id}, whom its page has not named`);
      // Whoever adopts it may not have heard of a log-out while nothing might be stored.
      else if (state && !state.allowed.has(id) && (entry.page === page || !doubtful.has(page)))
        journal.violate(`${entry.name} is sent as ${id}, and may be of ${[...state.allowed].join(", ") || "nobody"}`);
      else if (state) {
        state.allowed = new Set([id]);
        // Its own page may know of nobody, and give it to who is named next.
        state.isOpen &&= entry.page !== page && !entry.page.isDead;
      }
    },
  };
};
