/**
 * The storage area of an origin as browsers have it: used by methods or by properties, a full one throws and keeps the old
 * value, and each change is told to the other pages.
 */

/** One change, as a `storage` event tells it: a key of `null` means that all rows are gone. */
export interface StorageChange {
  key: string | null;
  oldValue: string | null;
  newValue: string | null;
}

/** What the world has to know of a page's use of the area. */
export interface AreaUser {
  /** Called before each use, reads included. What it throws, the page gets. */
  onUse(): void;
  onChange(change: StorageChange): void;
}

export interface FakeArea {
  /** The area, or the exception of a getter that denies it. */
  area: () => Storage;
  /** The same for one page. */
  areaOf: (user: AreaUser) => () => Storage;
  /** All rows by their whole key. */
  rows: Record<string, string>;
  /** The access itself throws, as with site data blocked. */
  isDenied: boolean;
  /** Most UTF-16 units, of keys and values together. */
  quota: number;
  /** What adds no more than this fits all the same: a large event does not, a lease does. */
  slack: number;
}

const measure = (rows: Record<string, string>): number =>
  Object.entries(rows).reduce((sum, [key, value]) => sum + key.length + value.length, 0);

const NOBODY: AreaUser = { onUse: () => {}, onChange: () => {} };

export const createArea = (): FakeArea => {
  const rows: Record<string, string> = Object.create(null);
  const sizeOf = (key: string): number => (key in rows ? key.length + rows[key]!.length : 0);

  const areaOf = ({ onUse, onChange }: AreaUser) => {
    const get = (key: string): string | null => rows[key] ?? null;
    const set = (key: string, value: unknown): void => {
      const newValue = `${value}`;
      const oldValue = get(key);
      if (fake.quota < Number.POSITIVE_INFINITY) {
        const growth = key.length + newValue.length - sizeOf(key);
        if (growth > fake.slack && measure(rows) + growth > fake.quota)
          throw new DOMException("full", "QuotaExceededError");
      }
      rows[key] = newValue;
      if (oldValue !== newValue) onChange({ key, oldValue, newValue });
    };
    const remove = (key: string): void => {
      const oldValue = get(key);
      delete rows[key];
      if (oldValue !== null) onChange({ key, oldValue, newValue: null });
    };
    const clear = (): void => {
      const hadRows = Object.keys(rows).length > 0;
      empty(fake);
      if (hadRows) onChange({ key: null, oldValue: null, newValue: null });
    };
    const methods: Record<string, unknown> = {
      getItem: (key: string) => get(`${key}`),
      setItem: (key: string, value: unknown) => set(`${key}`, value),
      removeItem: (key: string) => remove(`${key}`),
      key: (index: number) => Object.keys(rows)[index] ?? null,
      clear,
    };
    const using =
      <Args extends unknown[], Result>(act: (...args: Args) => Result) =>
      (...args: Args): Result => {
        onUse();
        return act(...args);
      };
    for (const name of Object.keys(methods)) methods[name] = using(methods[name] as () => unknown);

    const area = new Proxy(rows, {
      get: (_, key) => {
        if (typeof key === "symbol") return undefined;
        if (Object.hasOwn(methods, key)) return methods[key];
        return using(() => (key === "length" ? Object.keys(rows).length : rows[key]))();
      },
      set: using((_, key, value) => {
        set(key as string, value);
        return true;
      }),
      deleteProperty: using((_, key) => {
        remove(key as string);
        return true;
      }),
      has: using((_, key) => key in rows || key in methods),
      ownKeys: using(() => Object.keys(rows)),
    }) as unknown as Storage;

    return (): Storage => {
      if (fake.isDenied) throw new DOMException("denied", "SecurityError");
      return area;
    };
  };

  const fake: FakeArea = {
    rows,
    isDenied: false,
    quota: Number.POSITIVE_INFINITY,
    slack: 0,
    area: () => anybody(),
    areaOf,
  };
  const anybody = areaOf(NOBODY);
  return fake;
};

/** Takes all rows out, as `clear()` does, and tells nobody. */
export const empty = ({ rows }: FakeArea): void => {
  for (const key of Object.keys(rows)) delete rows[key];
};

/** Leaves no room for more than small rows. */
export const fill = (fake: FakeArea, slack = 0): void => {
  fake.quota = measure(fake.rows);
  fake.slack = slack;
};
