/**
 * Which tab sends which events. Each tab sends what it queued itself. While events wait it renews a lease,
 * `tab:<id>` = time, and ends it when the page is left; whoever finds the lease over may claim the events by writing its
 * own id in its place.
 */
import type { Store } from "./storage.js";

/** A tab that gave no sign of life for this long, in milliseconds, is dead. A request is given up sooner. */
export const LEASE_MS = 20_000;
/** The lease is renewed this often, in milliseconds: a timer may be late by three of them. */
export const RENEW_MS = 5_000;
/** A claim is looked at again after 50 to 250 ms: the last writer won, and by then every tab sees who that was. */
const CLAIM_MS = 50;
const CLAIM_SPREAD_MS = 200;
/** The lease of a tab that was left. */
const LEFT = "0";

export const createTabs = (store: Store, now: () => number, random: () => number) => {
  let me: string;
  let renewed: number;
  const touch = (): void => {
    renewed = now();
  };
  const restart = (): void => {
    me = random().toString(36).slice(2);
    touch();
  };
  restart();

  /** A time that lies ahead is as stale as an old one, so that a clock set back stalls nothing. */
  const isOver = (time: number, period: number): boolean => !(time <= now() && now() - time < period);

  return {
    id: (): string => me,
    touch,
    restart,

    /** Was there no sign of life for so long that others may have adopted what waits? */
    isLapsed: (): boolean => isOver(renewed, LEASE_MS),

    /** Renews the lease when that is due, or when the stored one is not ours. */
    renew: (): void => {
      if (store.get(`tab:${me}`) !== `${renewed}` || isOver(renewed, RENEW_MS)) {
        touch();
        store.set(`tab:${me}`, `${renewed}`);
      }
    },

    /** Ends the lease: what waits may be adopted at once. */
    leave: (waits: boolean): unknown => (waits ? store.set(`tab:${me}`, LEFT) : store.remove(`tab:${me}`)),

    /** Claims what dead tabs have queued: `take` is called for each of them whose claim has held, then `done`. */
    adopt: (take: (tab: string) => void, done: () => void): void => {
      // The newest event of a tab is a sign of its life, too: it may be busy since, and have no lease yet.
      const newest = new Map<string, number>();
      for (const key of store.keys()) {
        const [kind, tab, , time] = key.split(":") as [string, string, string, string?];
        if (/^(event|tab)$/.test(kind) && tab !== me)
          newest.set(tab, Math.max(newest.get(tab) ?? 0, Number(time ?? 0)));
      }
      const dead = [...newest.keys()].filter((tab) => {
        const lease = store.get(`tab:${tab}`);
        return lease === LEFT || (isOver(Number(lease), LEASE_MS) && isOver(newest.get(tab)!, LEASE_MS));
      });
      for (const tab of dead) store.set(`tab:${tab}`, me);
      setTimeout(
        () => {
          for (const tab of dead)
            if (store.get(`tab:${tab}`) === me) {
              take(tab);
              store.remove(`tab:${tab}`);
            }
          done();
        },
        CLAIM_MS + random() * CLAIM_SPREAD_MS,
      );
    },
  };
};

export type Tabs = ReturnType<typeof createTabs>;
