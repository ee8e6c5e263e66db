/** Timers and frames of a page, on the world's clock. */
import type { Clock } from "./clock.js";
import type { Page } from "./page.js";

/** Sixty frames a second, nearly. */
const FRAME_MS = 16;
/** Timers set by timers, deeper than so many, wait for so long, in milliseconds, at least (HTML, "timer initialization steps"). */
const MAX_DEPTH = 5;
const NESTED_MS = 4;

export const createTimers = (page: Page, clock: Clock) => {
  /** The task on the clock behind each timer. */
  const timers = new Map<number, number>();
  const frames = new Map<number, (time: number) => void>();
  let lastId = 0;
  /** How deep timers are nested at this moment. */
  let depth = 0;

  const plan = (id: number, delay: number, run: () => void): void => {
    const fire = (): void => {
      const late = page.isHidden && page.throttleMs && clock.now() % page.throttleMs;
      if (late) {
        plan(id, page.throttleMs - late, run);
        return;
      }
      timers.delete(id);
      run();
    };
    timers.set(id, clock.add(delay, fire, page));
  };
  const begin = (delay: unknown, run: () => void): number => {
    const id = ++lastId;
    const own = depth + 1;
    const ms = Math.max(own > MAX_DEPTH ? NESTED_MS : 0, Math.trunc(Number(delay)) || 0);
    const nested = (): void => {
      const outer = depth;
      depth = own;
      try {
        run();
      } finally {
        depth = outer;
      }
    };
    plan(id, ms, nested);
    return id;
  };
  const clear = (id: number | undefined): void => {
    clock.cancel(timers.get(id!));
    timers.delete(id!);
  };

  let isPlanned = false;
  /** Frames come only to what is seen. */
  const planFrame = (): void => {
    if (!frames.size || page.isHidden || page.isCovered || isPlanned) return;
    isPlanned = true;
    clock.add(FRAME_MS - (clock.now() % FRAME_MS), runFrame, page);
  };
  const runFrame = (): void => {
    isPlanned = false;
    if (page.isHidden || page.isCovered) return;
    const due = [...frames.values()];
    frames.clear();
    for (const run of due) run(clock.now());
  };

  return {
    /** To be called when the page comes into sight. */
    planFrame,
    /** What the page has asked to be woken for. */
    count: (): number => timers.size + frames.size,
    members: {
      setTimeout: (run: (...args: unknown[]) => void, delay?: number, ...args: unknown[]) =>
        begin(delay, () => run(...args)),
      clearTimeout: clear,
      requestAnimationFrame: (run: (time: number) => void): number => {
        const id = ++lastId;
        frames.set(id, run);
        planFrame();
        return id;
      },
    },
  };
};

/** `AbortSignal` whose time-outs are on the world's clock. */
export const createAbortSignal = (page: Page, clock: Clock): typeof AbortSignal =>
  Object.create(AbortSignal, {
    timeout: {
      value: (ms: number): AbortSignal => {
        const controller = new AbortController();
        const end = () => controller.abort(new DOMException("The operation timed out.", "TimeoutError"));
        clock.add(ms, end, page);
        return controller.signal;
      },
    },
  });
