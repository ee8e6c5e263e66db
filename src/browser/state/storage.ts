/** `localStorage` made harmless: what it does not keep, because it is absent, denied or full, is kept in memory. */
import { attempt } from "../../shared/attempt.js";

/** Rows under one prefix. Nothing here throws. */
export interface Store {
  get(key: string): string | null;
  set(key: string, value: string): void;
  remove(key: string): void;
  /** All keys below the prefix, without it, in the order of their characters. */
  keys(): string[];
}

/**
 * @param prefix keeps trackers of one origin apart
 * @param area gives the storage area, or nothing while it must not be used for this key, or for a list of keys; asked anew at
 * each access, because the getter itself may throw. Nothing is no exception: a page's first one costs it milliseconds
 */
export const createStore = (prefix: string, area: (key?: string) => Storage | undefined): Store => {
  const memory = new Map<string, string>();
  return {
    get: (key) => memory.get(prefix + key) ?? attempt(() => area(key)?.getItem(prefix + key)) ?? null,
    set: (key, value) => {
      const isKept = attempt(() => {
        const open = area(key);
        open?.setItem(prefix + key, value);
        return !!open;
      });
      if (isKept) memory.delete(prefix + key);
      else memory.set(prefix + key, value);
    },
    remove: (key) => {
      memory.delete(prefix + key);
      attempt(() => area(key)?.removeItem(prefix + key));
    },
    keys: () =>
      [...memory.keys(), ...(attempt(() => Object.keys(area() ?? {})) ?? [])]
        .filter((key) => key.startsWith(prefix))
        .map((key) => key.slice(prefix.length))
        .sort(),
  };
};
