/** When requests begin, and what a page does on which nothing waits (design §3.3, §3.6). */
import { describe, expect, it } from "vitest";
import { numbered } from "../support/verbs.js";
import { inScenario, trackMany } from "./scenario.js";
import type { Page, World } from "./world.js";

const SECOND = 1_000;

const expectRest = async ({ clock }: World, pages: Page[]): Promise<void> => {
  const before = pages.map(({ storageUses }) => storageUses);
  await clock.advance(60 * SECOND);
  const uses = pages.map(({ storageUses }, index) => storageUses - before[index]!);
  expect({ uses, waits: pages.map((page) => page.waits()) }).toEqual({
    uses: pages.map(() => 0),
    waits: pages.map(() => 0),
  });
};

describe("a page on which nothing waits has no timer and does not touch the storage", () => {
  it.each<[string, object]>([
    ["of a visitor who is known", {}],
    ["of a visitor whom nobody has named", { contactUid: undefined }],
    ["of a visitor who has not agreed yet", { consent: "pending" }],
    ["of a visitor who has refused", { consent: "denied" }],
  ])("%s", (_, config) =>
    inScenario(async (journal) => {
      const pages = [await journal.open(config), await journal.open(config)];
      await trackMany(journal, pages[0]!, { count: 5 });
      await journal.world.clock.advance(60 * SECOND);
      await expectRest(journal.world, pages);
    }),
  );
  it("where an earlier one was left, and another one has crashed", () =>
    inScenario(async (journal) => {
      for (const how of ["left", "crashed"]) {
        const page = await journal.open();
        await trackMany(journal, page, { count: 5 });
        if (how === "left") await journal.leave(page, {});
        else journal.crash(page);
      }
      const pages = [await journal.open(), await journal.open()];
      await journal.world.clock.advance(60 * SECOND);
      await expectRest(journal.world, pages);
    }));
});

describe("a request begins", () => {
  it("after the next frame of a page that is seen", () =>
    inScenario(async (journal) => {
      const page = await journal.open();
      await journal.world.clock.advance(1_003);
      await trackMany(journal, page, { count: 5 });
      const frame = new Promise<number>((resolve) => {
        (page.window.requestAnimationFrame as typeof requestAnimationFrame)(() => resolve(journal.world.sent.length));
      });
      await journal.world.clock.advance(32);
      expect([await frame, journal.world.sent.length > 0]).toEqual([0, true]);
    }));
  it("at the end of the task on a hidden one, once for all that the task has tracked", () =>
    inScenario(async (journal) => {
      const page = await journal.open({}, { isHidden: true });
      await journal.world.clock.advance(SECOND);
      const before = page.storageUses;
      await page.run(() => {
        for (const name of numbered(100)) page.tracker.track(name);
      });
      // No time has passed.
      expect(journal.world.sent.length).toBeGreaterThan(0);
      expect(page.storageUses - before).toBeLessThan(400);
    }));
  it("within 100 ms where frames never come", () =>
    inScenario(async (journal) => {
      const page = await journal.open({}, { isCovered: true });
      await journal.world.clock.advance(1_003);
      await trackMany(journal, page, { count: 2 });
      await journal.world.clock.advance(100);
      expect(journal.world.sent.length).toBe(2);
    }));
});
