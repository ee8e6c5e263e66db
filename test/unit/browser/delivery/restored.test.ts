/** How a page comes back from the back/forward cache. */
import { describe, expect, it } from "vitest";
import { inWorld } from "../../../simulation/world.js";
import { acceptAll, answerBy, MINUTE, numbered, track, trackAndLeave } from "../../../support/verbs.js";

describe.each([true, false])(
  "a page that comes back from the cache (visible before pageshow: %s)",
  (isVisibleFirst) => {
    it("sends what waited", () =>
      inWorld(async (world) => {
        const page = await world.open();
        await track(page, ...numbered(40));
        await page.freeze();
        for (const sent of world.openRequests()) await sent.answer(200);
        acceptAll(world);
        await page.restore(isVisibleFirst);
        await world.clock.advance(MINUTE);
        await page.track("last");
        await world.clock.advance(MINUTE);
        expect(world.names().toSorted()).toEqual([...numbered(40), "last"].toSorted());
        expect(world.stored()).toEqual([]);
      }));
    it("sends nothing that another page has delivered meanwhile", () =>
      inWorld(async (world) => {
        const page = await world.open();
        answerBy(world, () => 503);
        await track(page, ...numbered(3));
        await world.clock.advance(100);
        await page.freeze();
        acceptAll(world);
        const next = await world.open();
        await world.clock.advance(15_000);
        expect(world.stored()).toEqual([]);
        await trackAndLeave(next);
        const before = world.sent.length;
        await page.restore(isVisibleFirst);
        await world.clock.advance(MINUTE);
        expect(world.names().slice(before)).toEqual([]);
      }));
  },
);

it("what was open while it was cached shows by its answer that the service fails, and by a broken connection nothing", async () => {
  const failures: string[] = [];
  for (const when of ["before", "meanwhile"])
    for (const status of [0, 503])
      await inWorld(async (world) => {
        const page = await world.open();
        if (when === "before") await page.track("a");
        await world.clock.advance(20);
        await page.freeze();
        if (when === "meanwhile") await page.track("a");
        await page.restore();
        await (status ? world.sent[0]!.answer(status) : world.sent[0]!.fail());
        await world.clock.advance(20);
        if (world.storage.rows["tracklet:backoff"]) failures.push(`${when}: ${status}`);
        expect(world.names()).toEqual(["a"]);
      });
  expect(failures).toEqual(["before: 503", "meanwhile: 503"]);
});
