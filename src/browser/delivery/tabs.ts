/**
 * Which tab sends which events. Each tab sends what it queued itself. While events wait it renews a lease,
 * `tab:<id>` = time, and ends it when the page is left; whoever finds the lease over may claim the events by writing its
 * own id in its place, and sends them while it stands there.
 */
import type { Store } from "../state/storage.js";

/** A tab that gave no sign of life for this long, in milliseconds, is dead. A request is given up sooner. */
export const LEASE_MS = 20_000;
/** The lease is renewed this often, in milliseconds: a timer may be late by three of them. */
export const RENEW_MS = 5_000;
/** A claim is looked at again after this time, in milliseconds: the last writer won, and by then every tab sees who that was. */
const CLAIM_MS = 300;
/** The lease of a tab that was left. */
const LEFT = "0";

export const createTabs = (store: Store) => {
  let me: string;
  let renewed: number;
  /** Dead tabs whose events are ours. */
  const adopted = new Set<string>();

  /** A time that lies ahead is as stale as an old one, so that a clock set back stalls nothing. */
  const isOver = (time: number, period: number): boolean => !(time <= Date.now() && Date.now() - time < period);
  const rowOf = (tab: string): string | null => store.get(`tab:${tab}`);
  const write = (tab: string, row: string): void => store.set(`tab:${tab}`, row);
  /** The tab that has adopted `tab`, if any. */
  const adopterOf = (tab: string): string | undefined => /^t.*/.exec(rowOf(tab) ?? "")?.[0];
  const touch = (): void => {
    renewed = Date.now();
  };
  const begin = (): void => {
    me = `t${Math.random()}`;
    adopted.clear();
    touch();
  };
  begin();

  return {
    id: (): string => me,
    touch,

    /** Goes on as another tab, that has no events. Those of this one are for whoever claims them. */
    restart: (): void => {
      if (!adopterOf(me)) write(me, LEFT);
      begin();
    },

    /**
     * Renews the lease when that is due, or when the stored one is not ours.
     *
     * @returns `false` where there was none for so long that others may have adopted what waits
     */
    hold: (): boolean => {
      if (isOver(renewed, LEASE_MS) || adopterOf(me)) return false;
      if (rowOf(me) !== `${renewed}` || isOver(renewed, RENEW_MS)) {
        touch();
        write(me, `${renewed}`);
      }
      return true;
    },

    /** Tabs that another one has claimed at the same time as we did. Where the page has emptied the storage, a claim holds. */
    lost: (): string[] => [...adopted].filter((tab) => (adopterOf(tab) ?? me) !== me && adopted.delete(tab)),

    /** Nothing waits: what was adopted is done. */
    finish: (): void => {
      for (const tab of adopted) store.remove(`tab:${tab}`);
      adopted.clear();
    },

    /** Ends the lease: what waits may be adopted at once. */
    leave: (waits: boolean): unknown => (waits ? write(me, LEFT) : store.remove(`tab:${me}`)),

    /** Claims what dead tabs have queued: `take` is called for each of them whose claim has held, then `done`. */
    adopt: (take: (tab: string) => void, done: () => void): void => {
      // The latest event of a tab is a sign of life, too: it may be busy since, and have no lease yet.
      const newest = new Map<string, string>();
      const isDead = (tab: string): boolean => {
        const holder = adopterOf(tab) ?? tab;
        const row = rowOf(holder);
        return (
          holder !== me &&
          (row === LEFT || (isOver(Number(row), LEASE_MS) && isOver(Number(newest.get(holder)), LEASE_MS)))
        );
      };
      for (const key of store.keys()) {
        const [kind, tab, , time] = key.split(":") as [string, string, string?, string?];
        // The keys of a tab's events come in their order, and before its lease.
        if (kind === "event") newest.set(tab, time!);
        else if (kind === "tab" && !newest.has(tab) && isDead(tab)) store.remove(key);
      }
      const dead = [...newest.keys()].filter(isDead);
      for (const tab of dead) write(tab, me);
      setTimeout(
        () => {
          for (const tab of dead)
            if (adopterOf(tab) === me) {
              adopted.add(tab);
              // Nothing may have waited here for long: what is taken over must not find the lease run out.
              touch();
              take(tab);
            }
          done();
        },
        dead[0] ? CLAIM_MS : 0,
      );
    },
  };
};

export type Tabs = ReturnType<typeof createTabs>;
