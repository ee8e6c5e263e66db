/** A clock that stands still until told, with the tasks of several pages on it. */

/** Any time of day. */
const EPOCH = 1_700_000_000_000;
/** Each task is late by so many milliseconds, as every timer is: the clock that nobody sets has fractions, the time of day has none. */
const LATE_MS = 0.37;

export type Clock = ReturnType<typeof createClock>;

export const createClock = () => {
  const tasks = new Map<number, { due: number; run: () => unknown; owner: unknown }>();
  let now = 0;
  let offset = EPOCH;
  let lastId = 0;

  /** The first task that is due by `end`; of several, the one that was planned first. */
  const next = (end: number): number | undefined => {
    let first: number | undefined;
    for (const [id, { due, owner }] of tasks)
      if (due <= end && (!first || due < tasks.get(first)!.due) && !clock.isHeld(owner)) first = id;
    return first;
  };

  const clock = {
    /** Milliseconds since the beginning; never set back. */
    now: () => now,
    /** The time of day, in milliseconds since 1970. */
    wall: () => Math.floor(now + offset),
    /** Sets the time of day ahead or back. */
    jump: (ms: number): void => {
      offset += ms;
    },
    /** Lets time pass, task by task. */
    advance: async (ms: number): Promise<void> => {
      const end = now + ms;
      for (let id = next(end); id; id = next(end)) {
        const { due, owner, run } = tasks.get(id)!;
        now = Math.max(now, due);
        tasks.delete(id);
        await clock.enter(owner, run);
      }
      now = end;
    },
    /** Plans a task. */
    add: (delay: number, run: () => unknown, owner?: unknown): number => {
      tasks.set(++lastId, { due: now + LATE_MS + Math.max(0, Number(delay) || 0), run, owner });
      return lastId;
    },
    /** Takes away one task, or all tasks of an owner. */
    cancel: (id: number | undefined): void => void tasks.delete(id!),
    drop: (owner: unknown): void => {
      for (const [id, task] of tasks) if (task.owner === owner) tasks.delete(id);
    },
    /** To be set: how a task runs, and whether it has to wait. */
    enter: (_: unknown, run: () => unknown): Promise<unknown> => Promise.resolve(run()),
    isHeld: (_: unknown): boolean => false,
  };
  return clock;
};
