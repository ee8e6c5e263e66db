/** A clock that stands still until told, with the tasks of several pages on it. */

interface Task {
  id: number;
  due: number;
  run: () => unknown;
  owner: unknown;
  label: string;
  period?: number;
}

export interface Clock {
  /** Milliseconds since the beginning; never set back. */
  now: () => number;
  /** The time of day, in milliseconds since 1970. */
  wall: () => number;
  /** Sets the time of day ahead or back. */
  jump(ms: number): void;
  /** Lets time pass, task by task. */
  advance(ms: number): Promise<void>;
  add(delay: number, run: () => unknown, owner?: unknown, label?: string): number;
  has(owner: unknown, label: string): boolean;
  /** Takes away all tasks of a page. */
  drop(owner: unknown): void;
  clear: (id: number | undefined) => void;
  setTimeout: (run: () => void, delay?: number) => number;
  setInterval: (run: () => void, period: number) => number;
  timeoutSignal: (ms: number) => AbortSignal;
  /** Takes a signal's time-out away, once its request is over. */
  forget(signal: AbortSignal | null | undefined): void;
  /** To be set: how a task runs, whose it is when it is added, and whether it has to wait. */
  enter: (owner: unknown, run: () => unknown) => Promise<unknown>;
  owner: () => unknown;
  isHeld: (owner: unknown) => boolean;
}

/** Any time of day. */
const EPOCH = 1_700_000_000_000;

export const createClock = (): Clock => {
  const tasks = new Map<number, Task>();
  const signals = new WeakMap<AbortSignal, number>();
  let now = 0;
  let offset = EPOCH;
  let lastId = 0;

  const plan = (delay: number, run: () => unknown, owner: unknown, label: string, period?: number): number => {
    const id = ++lastId;
    tasks.set(id, { id, due: now + Math.max(0, Number(delay) || 0), run, owner, label, ...(period && { period }) });
    return id;
  };
  /** The first task that is due by `end`; of several, the one that was planned first. */
  const next = (end: number): Task | undefined => {
    let first: Task | undefined;
    for (const task of tasks.values())
      if (task.due <= end && (!first || task.due < first.due) && !clock.isHeld(task.owner)) first = task;
    return first;
  };

  const clock: Clock = {
    now: () => now,
    wall: () => Math.floor(now + offset),
    jump: (ms) => {
      offset += ms;
    },
    advance: async (ms) => {
      const end = now + ms;
      for (let task = next(end); task; task = next(end)) {
        now = Math.max(now, task.due);
        tasks.delete(task.id);
        if (task.period) tasks.set(task.id, { ...task, due: now + task.period });
        await clock.enter(task.owner, task.run);
      }
      now = end;
    },
    add: (delay, run, owner, label = "") => plan(delay, run, owner, label),
    has: (owner, label) => [...tasks.values()].some((task) => task.owner === owner && task.label === label),
    drop: (owner) => {
      for (const task of tasks.values()) if (task.owner === owner) tasks.delete(task.id);
    },
    clear: (id) => void tasks.delete(id!),
    setTimeout: (run, delay = 0) => plan(delay, run, clock.owner(), "timer"),
    setInterval: (run, period) => plan(period, run, clock.owner(), "timer", period),
    timeoutSignal: (ms) => {
      const controller = new AbortController();
      const id = plan(
        ms,
        () => controller.abort(new DOMException("The operation timed out.", "TimeoutError")),
        clock.owner(),
        "timeout",
      );
      signals.set(controller.signal, id);
      return controller.signal;
    },
    forget: (signal) => void (signal && tasks.delete(signals.get(signal)!)),
    enter: (_, run) => Promise.resolve(run()),
    owner: () => undefined,
    isHeld: () => false,
  };
  return clock;
};
