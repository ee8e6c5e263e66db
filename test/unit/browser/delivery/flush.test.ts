import { describe, expect, it } from "vitest";
import type { FlushResult } from "../../../../src/types.js";
import { inWorld } from "../../../simulation/world.js";
import { acceptAll, answerBy, flush, numbered, track } from "../../../support/verbs.js";

describe("flush", () => {
  it("delivers what waits and counts it", () =>
    inWorld(async (world) => {
      acceptAll(world);
      const page = await world.open();
      await track(page, ...numbered(20));
      expect(await flush(world, page)).toEqual({ delivered: 20, queued: 0, dropped: 0 });
      expect(await flush(world, page)).toEqual({ delivered: 0, queued: 0, dropped: 0 });
    }));
  it("takes over what a page before has left", () =>
    inWorld(async (world) => {
      const before = await world.open({ stamp: true });
      await before.track("a");
      await before.leave();
      before.kill();
      acceptAll(world);
      expect(await flush(world, await world.open())).toMatchObject({ delivered: 1, queued: 0 });
    }));
  it("resolves early while the service asks for rest", () =>
    inWorld(async (world) => {
      const page = await world.open();
      answerBy(world, () => 503, 600);
      await page.track("a");
      await world.clock.advance(100);
      let result: FlushResult | undefined;
      await page.run(() => void page.tracker.flush({ timeoutMs: 5_000 }).then((value) => (result = value)));
      await world.clock.advance(400);
      expect(result).toEqual({ delivered: 0, queued: 1, dropped: 0 });
      expect(world.sent.length).toBe(1);
    }));
  it("resolves within its time although nobody answers", () =>
    inWorld(async (world) => {
      const page = await world.open();
      await page.track("a");
      expect(await flush(world, page, 300)).toEqual({ delivered: 0, queued: 1, dropped: 0 });
    }));
});
