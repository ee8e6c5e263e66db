/** Timers and frames of a page, on the world's clock. */
import type { Clock } from "./clock.js";
import type { Page } from "./page.js";

/** Sixty frames a second, nearly. */
const FRAME_MS = 16;

export const createTimers = (page: Page, clock: Clock) => {
  /** The task on the clock behind each timer. */
  const timers = new Map<number, number>();
  let frames: ((time: number) => void)[] = [];
  let lastId = 0;

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
  let isPlanned = false;
  /** Frames come only to what is seen. */
  const planFrame = (): void => {
    if (!frames.length || page.isHidden || page.isCovered || isPlanned) return;
    isPlanned = true;
    clock.add(FRAME_MS - (clock.now() % FRAME_MS), runFrame, page);
  };
  const runFrame = (): void => {
    isPlanned = false;
    if (page.isHidden || page.isCovered) return;
    const due = frames;
    frames = [];
    for (const run of due) run(clock.now());
  };

  return {
    /** To be called when the page comes into sight. */
    planFrame,
    /** What the page has asked to be woken for. */
    count: (): number => timers.size + frames.length,
    members: {
      setTimeout: (run: (...args: unknown[]) => void, delay?: number, ...args: unknown[]) => {
        plan(++lastId, Math.trunc(Number(delay)) || 0, () => run(...args));
        return lastId;
      },
      clearTimeout: (id: number | undefined): void => {
        clock.cancel(timers.get(id!));
        timers.delete(id!);
      },
      requestAnimationFrame: (run: (time: number) => void): void => {
        frames.push(run);
        planFrame();
      },
    },
  };
};

/** `AbortSignal` whose time-outs are on the world's clock. */
export const createAbortSignal = (page: Page, clock: Clock) => ({
  timeout: (ms: number): AbortSignal => {
    const controller = new AbortController();
    clock.add(ms, () => controller.abort(new DOMException("The operation timed out.", "TimeoutError")), page);
    return controller.signal;
  },
});
