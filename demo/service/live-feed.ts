import type { StoredEvent } from "./event.js";
import type { EventFeed, Position } from "./event-feed.js";

/** Events that were read together, once for all followers. */
export interface Page {
  /** Counts up by one from page to page. */
  number: number;
  events: readonly StoredEvent[];
  /** Behind the last of them. */
  position: Position;
}

/** Reads new events once, however many follow them. */
export interface LiveFeed {
  /**
   * Begins to follow, until `signal` is aborted; resolves to the last page, after a look at the database.
   *
   * @throws when the database is away
   */
  join(signal: AbortSignal): Promise<Page>;
  /** The last page, for who has joined. */
  present(): Page;
  /** The page after that one: `undefined` where there is none yet, `"gone"` where it is too long ago. */
  after(number: number): Page | "gone" | undefined;
  /** Resolves when there is another page, after `timeoutMs`, or when `signal` is aborted. */
  changed(timeoutMs: number, signal: AbortSignal): Promise<void>;
  /** Looks at once: this process has just committed. */
  wake(): void;
}

/** Milliseconds: another process's events are to be seen within a second. */
const POLL_MS = 250;
/** Events read at a time. */
const CHUNK = 500;
/** Characters of events that are kept for who is slow. */
const MAX_KEPT = 16 * 2 ** 20;

/** @param maxKept characters of events that are kept at most, besides the last page */
export const createLiveFeed = (
  feed: Pick<EventFeed, "now" | "read">,
  workspace: string,
  maxKept = MAX_KEPT,
): LiveFeed => {
  let followers = 0;
  let pages: Page[] = [];
  let number = 0;
  let timer: NodeJS.Timeout | undefined;
  const waiting = new Set<() => void>();

  const add = (events: readonly StoredEvent[], position: Position): void => {
    number += 1;
    pages.push({ number, events, position });
    let kept = pages.reduce((sum, page) => sum + sizeOf(page), 0);
    while (kept > maxKept && pages.length > 1) kept -= sizeOf(pages.shift()!);
    for (const resolve of waiting) resolve();
  };

  /** Reads what was committed since the last page. */
  const advance = async (): Promise<void> => {
    if (pages.length === 0) return add([], await feed.now());
    while (followers > 0) {
      const before = pages.at(-1)!.position;
      const { events, position } = await feed.read(workspace, before, CHUNK);
      if (position === before) return;
      add(events, position);
    }
  };

  let running: Promise<void> | undefined;
  let queued: Promise<void> | undefined;
  /** Resolves after an `advance` that began after this call; all calls during one share the next. */
  const look = (): Promise<void> => {
    clearTimeout(timer);
    if (running !== undefined) {
      queued ??= running
        .catch(() => {})
        .then(() => {
          queued = undefined;
          return look();
        });
      return queued;
    }
    running = advance().finally(() => {
      running = undefined;
      if (followers > 0) timer = setTimeout(glance, POLL_MS);
      else rest();
    });
    return running;
  };
  // The database may be away for a while; the next look finds it again.
  const glance = (): void => void look().catch(() => {});

  /** Nobody follows: whoever joins next begins with the present of then. */
  const rest = (): void => {
    clearTimeout(timer);
    if (running === undefined) pages = [];
  };
  const leave = (): void => {
    followers -= 1;
    if (followers === 0) rest();
  };

  return {
    join: async (signal) => {
      followers += 1;
      if (signal.aborted) leave();
      else signal.addEventListener("abort", leave, { once: true });
      await look();
      return pages.at(-1) ?? { number, events: [], position: new Map() };
    },
    present: () => pages.at(-1)!,
    after: (before) => {
      const first = pages[0]?.number ?? Number.POSITIVE_INFINITY;
      return before + 1 < first ? "gone" : pages[before + 1 - first];
    },
    changed: (timeoutMs, signal) =>
      new Promise((resolve) => {
        const done = (): void => {
          clearTimeout(expiry);
          signal.removeEventListener("abort", done);
          waiting.delete(done);
          resolve();
        };
        const expiry = setTimeout(done, timeoutMs);
        signal.addEventListener("abort", done);
        waiting.add(done);
        if (signal.aborted) done();
      }),
    wake: () => {
      if (followers > 0) glance();
    },
  };
};

const sizeOf = ({ events }: Page): number => events.reduce((sum, { params }) => sum + params.length, 0);
