import { isBehind, type Position } from "./event-feed.js";

/** Tells many listeners when new events may be read, at the cost of one small query each quarter of a second. */
export interface Ticker {
  /**
   * Resolves when events after `position` are committed, by this process or another, after `timeoutMs`, or when
   * `signal` is aborted.
   */
  next(position: Position, timeoutMs: number, signal: AbortSignal): Promise<void>;
  /** Looks at once: this process has just committed. */
  wake(): void;
}

/** Milliseconds: another process's events are to be seen within a second. */
const POLL_MS = 250;

interface Listener {
  position: Position;
  resolve(): void;
}

/** @param now reads how far the events have come */
export const createTicker = (now: () => Promise<Position>, pollMs = POLL_MS): Ticker => {
  const listeners = new Set<Listener>();
  let timer: NodeJS.Timeout | undefined;
  let looking = false;
  let again = false;

  const look = async (): Promise<void> => {
    if (looking) {
      again = true;
      return;
    }
    looking = true;
    clearTimeout(timer);
    do {
      again = false;
      // The database may be away for a while; the next look finds it again.
      const position = await now().catch((): Position => new Map());
      for (const listener of listeners) if (isBehind(listener.position, position)) listener.resolve();
    } while (again);
    looking = false;
    if (listeners.size > 0) timer = setTimeout(look, pollMs);
  };

  return {
    next: (position, timeoutMs, signal) =>
      new Promise((resolve) => {
        const done = (): void => {
          clearTimeout(expiry);
          signal.removeEventListener("abort", done);
          listeners.delete(listener);
          if (listeners.size === 0) clearTimeout(timer);
          resolve();
        };
        const listener: Listener = { position, resolve: done };
        const expiry = setTimeout(done, timeoutMs);
        signal.addEventListener("abort", done);
        listeners.add(listener);
        if (signal.aborted) done();
        else if (listeners.size === 1 && !looking) timer = setTimeout(look, pollMs);
      }),
    wake: () => {
      if (listeners.size > 0) void look();
    },
  };
};
