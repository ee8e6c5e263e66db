/** While nothing fails, a page begins its own events in their order, as long as they need no lock. */
import type { Page } from "../world.js";
import { isSuccess, type MakeRule, YOUNG_MS } from "./rule.js";

export const order: MakeRule = (journal) => {
  const { world, entries } = journal;
  /** The latest event of each life that was begun, by its place among all events. */
  const latest = new Map<object, number>();
  const begun = new Set<string>();
  /** Lives in which something has failed, or in which an event had nobody to belong to: what comes first is open. */
  const opened = new Set<object>();
  const placeOf = (name: string): number => [...entries.keys()].indexOf(name);

  const open = (isMeant: (page: Page) => boolean): void => {
    for (const { page, life } of entries.values()) if (isMeant(page)) opened.add(life);
  };

  return {
    onHear: ({ page }, _, { status }) => {
      if (!isSuccess(status)) open((one) => one === page);
    },
    onClear: () => open(() => true),
    onReset: () => open(() => true),
    onIdentify: (page) => open((one) => one === page),
    onBegin: (sent, { name, life, page, trackedAt }) => {
      if (begun.has(name)) return;
      begun.add(name);
      const isYoung = sent.page === page && world.clock.now() < trackedAt + YOUNG_MS;
      // What is too large to outlive its page was passed over as long as that was out of sight.
      const isChecked = journal.isExact && isYoung && sent.keepalive && !opened.has(life);
      if (isChecked && placeOf(name) < (latest.get(life) ?? -1))
        journal.violate(`${name} is tried after a later event of page ${world.pages.indexOf(page) + 1}`);
      latest.set(life, Math.max(placeOf(name), latest.get(life) ?? -1));
    },
  };
};
