/** While nothing fails, a page begins its events in their order. */
import { isSuccess, type MakeRule } from "./rule.js";

export const order: MakeRule = (journal) => {
  const { world, entries, violations } = journal;
  /** The latest event of each life that was begun, by its place among all events. */
  const latest = new Map<object, number>();
  const begun = new Set<string>();
  /** Lives in which something has failed, or in which an event had nobody to belong to: what comes first is open. */
  const open = new Set<object>();
  const placeOf = (name: string): number => [...entries.keys()].indexOf(name);

  return {
    onHear: ({ page }, _, { status }) => {
      if (!isSuccess(status)) for (const { page: of, life } of entries.values()) if (of === page) open.add(life);
    },
    onClear: () => {
      for (const { life } of entries.values()) open.add(life);
    },
    onBegin: (_, { name, life, page }) => {
      if (begun.has(name)) return;
      begun.add(name);
      const isChecked = journal.isExact && !open.has(life);
      if (isChecked && placeOf(name) < (latest.get(life) ?? -1))
        violations.push(
          `${world.clock.now()} ms: ${name} is tried after a later event of page ${world.pages.indexOf(page) + 1}`,
        );
      latest.set(life, Math.max(placeOf(name), latest.get(life) ?? -1));
    },
    onIdentify: (page) => {
      for (const { page: of, life } of entries.values()) if (of === page) open.add(life);
    },
    onReset: () => {
      for (const { life } of entries.values()) open.add(life);
    },
  };
};
