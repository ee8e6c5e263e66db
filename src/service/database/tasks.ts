import { backOffMs } from "../../shared/retry-policy.js";
import { digest } from "../base/exact-text.js";
import type { Database } from "./database.js";
import type { State } from "./service-state.js";
import { isUnavailable, tookTooLong } from "./sql-state.js";

/*
 * What is done beside requests is done by one process at a time, without a process that leads: a row says when a task is due,
 * which each process reads with the generation, and the first one to change it does the task. Each step takes a lock of its
 * transaction, so that a run that takes long is alone, too. A lock of a session would be another's behind a pooler. The lock
 * spares work alone: steps are right, too, where two processes do them at once, as over several nodes.
 */

const AT_A_TIME = 2;
/** Longest back-off after failures that are not of a database which is away, in milliseconds. */
const LONGEST_MS = 60_000;
/** The first half of the key of a task's lock. */
const LOCK = 8_131_210;
/** Before the name of a task in `service_state`; the value is when it is due, in epoch milliseconds of the database. */
const DUE = "due ";

export interface Task {
  name: string;
  /** Milliseconds from the beginning of one run to that of the next. */
  every: number;
  /** @param database whose transactions are the steps; each one throws where another process is in one, and when the service closes */
  run(database: Database): Promise<void>;
  /** Is told why a run has failed; not where the database is away, as those who need it are told. */
  failed(error: Error): void;
}

const TAKEN = new Error("another process does this task");
export const isTaken = (error: unknown): boolean => error === TAKEN;

export const createTasks = (database: Database) => {
  const beside = database.beside(AT_A_TIME);
  const tasks: Task[] = [];
  const running = new Map<string, Promise<void>>();
  /** How often in a row a task has failed. */
  const failures = new Map<string, number>();
  let isOver = false;

  const ofTask = (name: string): Database => ({
    ...database,
    query: beside.query,
    transaction: (work) =>
      beside.transaction(async (query) => {
        const key = Number.parseInt(digest(name).slice(0, 7), 16);
        const [lock] = await query<{ mine: boolean }>("SELECT pg_try_advisory_xact_lock($1, $2) AS mine", [LOCK, key]);
        if (!lock!.mine) throw TAKEN;
        return work(query);
      }),
  });
  /** @returns false where another process has begun meanwhile */
  const claim = async (name: string, from: number | undefined, to: number): Promise<boolean> => {
    const claimed = await beside.query(
      `INSERT INTO service_state (name, value) VALUES ($1, $2)
       ON CONFLICT (name) DO UPDATE SET value = excluded.value WHERE service_state.value = $3 RETURNING name`,
      [DUE + name, to, from ?? -1],
    );
    return claimed.length > 0;
  };
  const run = async (task: Task, due: number | undefined, now: number): Promise<void> => {
    const { name } = task;
    const next = Math.floor(now) + task.every;
    try {
      if (!(await claim(name, due, next))) return;
      await task.run(ofTask(name));
      failures.delete(name);
    } catch (error) {
      if (error === TAKEN || isOver || (isUnavailable(error) && !tookTooLong(error))) return;
      task.failed(error as Error);
      const before = failures.get(name) ?? 0;
      failures.set(name, before + 1);
      await claim(name, next, next + Math.ceil(backOffMs(before, LONGEST_MS))).catch(() => {});
    }
  };
  return {
    add: (task: Task): void => {
      tasks.push(task);
    },
    beginDue: (state: State): void => {
      const { now } = state;
      for (const task of isOver ? [] : tasks) {
        const due = state[DUE + task.name];
        // What is due later than it can be was said by a clock that was wrong.
        const isLater = due !== undefined && due > now && due <= now + task.every + LONGEST_MS;
        if (running.has(task.name) || isLater) continue;
        running.set(
          task.name,
          run(task, due, now).finally(() => running.delete(task.name)),
        );
      }
    },
    /** Cancels what is under way; nothing is begun any more. */
    cancel: (): void => {
      isOver = true;
      beside.cancel();
    },
  };
};
