/** Keys that are counted each for itself; those that come later share one count, so that nobody can fill the memory. */
const MAX_KEYS = 100_000;

/** What each key may use in a time. */
export interface Bound {
  isUsedUp(key: string): boolean;
  spend(key: string): void;
}

/** Counts in this process. @param most 0 is no bound @param milliseconds after which all counts begin anew */
export const createBound = (most: number, milliseconds: number): Bound => {
  const used = new Map<string, number>();
  let since = performance.now();
  const counted = (key: string): string => {
    if (performance.now() - since > milliseconds) {
      used.clear();
      since = performance.now();
    }
    return used.has(key) || used.size < MAX_KEYS ? key : "";
  };
  const get = (key: string): number => used.get(counted(key)) ?? 0;
  return {
    isUsedUp: (key) => most > 0 && get(key) >= most,
    spend: (key) => {
      if (most > 0) used.set(counted(key), get(key) + 1);
    },
  };
};
