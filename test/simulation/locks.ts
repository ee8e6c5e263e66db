/**
 * Web Locks as browsers have them: a request is asynchronous, its answer a task of the page. A document that stands still keeps
 * what it holds; one that has ended, however, holds nothing from that moment on, although its last changes of the storage may
 * still be on their way.
 */
import type { Clock } from "./clock.js";
import type { Page } from "./page.js";

/** What a page's browser makes of a request: it has no locks, as on `http:`, or refuses them, as in a sandboxed frame. */
export type LockSupport = "normal" | "none" | "rejects";

interface Held {
  page: Page;
  /** Another page takes the lock away. */
  lose(): void;
  /** When the page was told. */
  grantedAt: number;
}

/** From the page to the manager, and back, in milliseconds. */
const WAY_MS = 1;

export const createLocks = (clock: Clock) => {
  const locks = {
    /** By name. */
    held: new Map<string, Held>(),
    /** Stolen, and its page has yet to be told. */
    lost: new Set<Held>(),
    /** How often each name was asked for. */
    asked: [] as string[],
    /** To be set: told of each answer. */
    onAnswer: (_page: Page, _name: string, _isGranted: boolean): void => {},
    heldBy: (page: Page): string[] => [...locks.held].flatMap(([name, { page: by }]) => (by === page ? [name] : [])),
    /** The document has ended. */
    drop: (page: Page): void => {
      for (const name of locks.heldBy(page)) locks.held.delete(name);
    },
    /** `navigator.locks` of a page. */
    of: (page: Page, support: LockSupport): object | undefined => {
      if (support === "none") return undefined;
      const request = (
        name: string,
        options: { ifAvailable?: boolean; steal?: boolean },
        run: (lock: unknown) => unknown,
      ) => {
        page.use();
        if (support === "rejects") return Promise.reject(new DOMException("denied", "SecurityError"));
        // Whoever waits in the queue of a lock loses the back/forward cache, and starves behind a page that is in it.
        if (!options.ifAvailable && !options.steal) throw new Error(`waits for the lock ${name}`);
        locks.asked.push(name);
        return new Promise((resolve, reject) => {
          const decide = (): void => {
            if (page.isDead) return;
            const lose = (): void => {
              locks.lost.add(held!);
              const tell = (): void => {
                locks.lost.delete(held!);
                reject(new DOMException("stolen", "AbortError"));
              };
              clock.add(WAY_MS, tell, page);
            };
            if (options.steal) locks.held.get(name)?.lose();
            const isFree = options.steal || !locks.held.has(name);
            const held: Held | undefined = isFree ? { page, grantedAt: Number.POSITIVE_INFINITY, lose } : undefined;
            if (held) locks.held.set(name, held);
            const release = (): void => {
              if (locks.held.get(name) === held) locks.held.delete(name);
            };
            const answer = async (): Promise<void> => {
              locks.onAnswer(page, name, !!held);
              if (held) held.grantedAt = clock.now();
              try {
                resolve(await run(held ? { name, mode: "exclusive" } : null));
              } catch (error) {
                reject(error);
              }
              if (held) clock.add(WAY_MS, release);
            };
            clock.add(WAY_MS, () => void answer(), page);
          };
          page.whenActive(() => clock.add(WAY_MS, decide));
        });
      };
      return { request };
    },
  };
  return locks;
};
