/**
 * The storage area of an origin as browsers have it, used by properties: a full one throws and keeps the old value. Each page is a process of its own: what it changes, it sees at once; others see it, and are told of it, a moment later,
 * in order.
 */
import type { Clock } from "./clock.js";

/** One change, as a `storage` event tells it: a key of `null` means that all rows are gone. */
export interface StorageChange {
  key: string | null;
  oldValue: string | null;
  newValue: string | null;
}

type Rows = Record<string, string>;

/** What the area has to know of a page. */
interface AreaUser extends Record<"isDead" | "isFrozen" | "isCached" | "readsFresh", boolean> {
  useStorage(): void;
  hear(change: StorageChange): void;
}

/** What one page sees. */
interface View {
  user: AreaUser;
  /** Where that is not what is stored. */
  copy: Rows | undefined;
  /** Changes that are still on their way: its own, with when they arrive, and those of others. */
  own: StorageChange[];
  ownDueAt: number;
  others: StorageChange[];
}

export type FakeArea = ReturnType<typeof createArea>;

const measure = (rows: Rows): number =>
  Object.entries(rows).reduce((sum, [key, value]) => sum + key.length + value.length, 0);

const apply = (rows: Rows, changes: StorageChange[]): Rows => {
  for (const { key, newValue } of changes)
    if (key === null) for (const one of Object.keys(rows)) delete rows[one];
    else if (newValue === null) delete rows[key];
    else rows[key] = newValue;
  return rows;
};
const copyOf = (rows: Rows): Rows => Object.assign(Object.create(null), rows);

export const createArea = (clock: Clock) => {
  const rows: Rows = Object.create(null);
  const views = new Set<View>();

  /** It sees what is stored, but for its own changes on their way. */
  const catchUp = (view: View): void => {
    view.copy = view.own.length ? apply(copyOf(rows), view.own) : undefined;
    for (const change of view.others.splice(0)) view.user.hear(change);
  };
  const commit = (by: View, change: StorageChange): void => {
    const prompt: View[] = [];
    for (const view of views) {
      if (view.user.isDead && !view.own.length) views.delete(view);
      if (view === by || view.user.isDead || view.others.push(change) > 1) continue;
      const lag = fake.lag();
      if (lag || (view.user.isFrozen && !view.user.isCached)) {
        view.copy ??= copyOf(rows);
        clock.add(lag, () => catchUp(view), view.user);
      } else prompt.push(view);
    }
    apply(rows, [change]);
    for (const view of views)
      if (view.user.readsFresh) view.copy = view.own.length ? apply(copyOf(rows), view.own) : undefined;
    for (const view of prompt) catchUp(view);
  };
  const arrive = (view: View): void => {
    for (const change of view.own.splice(0)) commit(view, change);
    if (!view.others.length) view.copy = undefined;
  };
  const change = (view: View, key: string | null, newValue: string | null): void => {
    const oldValue = key === null ? null : ((view.copy ?? rows)[key] ?? null);
    const one = { key, oldValue, newValue };
    if (key !== null && oldValue === newValue) return;
    const lag = fake.lag();
    if (!lag && !view.own.length && !view.copy) {
      commit(view, one);
      return;
    }
    view.copy ??= copyOf(rows);
    apply(view.copy, [one]);
    if (view.own.push(one) > 1) return;
    view.ownDueAt = clock.now() + lag;
    clock.add(lag, () => arrive(view));
  };

  const createStorage = (view: View) => {
    const now = (): Rows => view.copy ?? rows;
    const set = (key: string, value: unknown): void => {
      const growth = key.length + `${value}`.length - (key in now() ? key.length + now()[key]!.length : 0);
      if (fake.quota < Number.POSITIVE_INFINITY && growth > fake.slack && measure(now()) + growth > fake.quota)
        throw new DOMException("full", "QuotaExceededError");
      change(view, key, `${value}`);
    };
    const clear = (): unknown => Object.keys(now()).length && change(view, null, null);
    const using =
      <Args extends unknown[], Result>(act: (...args: Args) => Result) =>
      (...args: Args): Result => {
        view.user.useStorage();
        return act(...args);
      };
    return new Proxy(Object.create(null), {
      get: (_, key) => (key === "clear" ? using(clear) : using(() => now()[key as string])()),
      set: using((_, key, value) => {
        set(key as string, value);
        return true;
      }),
      deleteProperty: using((_, key) => {
        change(view, key as string, null);
        return true;
      }),
      ownKeys: using(() => Object.keys(now())),
      getOwnPropertyDescriptor: (_, key) =>
        (key as string) in now()
          ? { value: now()[key as string], enumerable: true, configurable: true, writable: true }
          : undefined,
    }) as unknown as Storage;
  };

  const areaOf = (user: AreaUser) => {
    const view: View = { user, copy: undefined, own: [], ownDueAt: 0, others: [] };
    views.add(view);
    const storage = createStorage(view);
    const area = (): Storage => {
      if (fake.isDenied) throw new DOMException("denied", "SecurityError");
      return storage;
    };
    return { area, arrive: () => arrive(view) };
  };

  const fake = {
    /** The area as a page has it, or the exception of a getter that denies it; and what lets all that it has changed arrive. */
    areaOf,
    /** All rows by their whole key. */
    rows,
    /** The same, with all that is on its way: what arrives last, holds. */
    latest: (): Rows => {
      const inOrder = [...views].sort((one, other) => one.ownDueAt - other.ownDueAt);
      const changes = inOrder.flatMap(({ own }) => own);
      return changes.length ? apply(copyOf(rows), changes) : rows;
    },
    /** The access itself throws, as with site data blocked. */
    isDenied: false,
    /** Most UTF-16 units, of keys and values together. */
    quota: Number.POSITIVE_INFINITY,
    /** What adds no more than this fits all the same: a large event does not, a back-off does. */
    slack: 0,
    /** Milliseconds that a change is on its way, out of the one process and into the other. */
    lag: () => 0,
    /** Milliseconds by which a page is told later of a removal than it reads it. */
    tellsLate: () => 0,
  };
  return fake;
};

/** Leaves no room for more than small rows. */
export const fill = (fake: FakeArea, slack = 0): void => {
  fake.quota = measure(fake.rows);
  fake.slack = slack;
};
