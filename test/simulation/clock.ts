/** A clock that stands still until told, with the tasks of several pages on it. */

interface Task {
  id: number;
  due: number;
  run: () => unknown;
  owner: unknown;
  label: string;
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
  /** Plans a task. */
  add(delay: number, run: () => unknown, owner?: unknown, label?: string): number;
  /** How many tasks of this owner wait under this label. */
  count(owner: unknown, label: string): number;
  /** Takes away one task, or all tasks of an owner. */
  cancel(id: number | undefined): void;
  drop(owner: unknown): void;
  /** To be set: how a task runs, and whether it has to wait. */
  enter: (owner: unknown, run: () => unknown) => Promise<unknown>;
  isHeld: (owner: unknown) => boolean;
}

/** Any time of day. */
const EPOCH = 1_700_000_000_000;

export const createClock = (): Clock => {
  const tasks = new Map<number, Task>();
  let now = 0;
  let offset = EPOCH;
  let lastId = 0;

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
        await clock.enter(task.owner, task.run);
      }
      now = end;
    },
    add: (delay, run, owner, label = "") => {
      const id = ++lastId;
      const due = now + Math.max(0, Number(delay) || 0);
      tasks.set(id, { id, due, run, owner, label });
      return id;
    },
    count: (owner, label) => {
      let count = 0;
      for (const task of tasks.values()) if (task.owner === owner && task.label === label) count++;
      return count;
    },
    cancel: (id) => void tasks.delete(id!),
    drop: (owner) => {
      for (const task of tasks.values()) if (task.owner === owner) tasks.delete(task.id);
    },
    enter: (_, run) => Promise.resolve(run()),
    isHeld: () => false,
  };
  return clock;
};
