/** Before the visitor has chosen, in pages of a fake browser: nothing stored, nothing sent. */
import { describe, expect, it } from "vitest";
import type { Config } from "../../../../src/types.js";
import { fill } from "../../../simulation/area.js";
import type { Page } from "../../../simulation/world.js";
import { CHOICE, call, inPage, keys, PENDING, sent } from "../../../support/choices.js";
import { anonymous, inHealthyWorld, MINUTE } from "../../../support/verbs.js";

describe("pending", () => {
  it("stores and sends nothing, whatever is called, and is gone with the page", () =>
    inPage(PENDING, async (page, world) => {
      await page.track("a");
      await call(page, "pageview", { visit_url: "https://site.example/a" });
      await call(page, "identify", "bob");
      await call(page, "reset");
      await world.clock.advance(MINUTE);
      await page.leave();
      page.kill();
      const next = await world.open(PENDING);
      await call(next, "optIn");
      expect([await sent(world), keys(world)]).toEqual([[], [CHOICE, "tracklet:identity"]]);
    }));
  it("leaves the storage as it was, to the last request for its keys", () =>
    inPage(PENDING, async (page, world) => {
      await page.track("a");
      await world.clock.advance(MINUTE);
      await page.hide();
      await page.freeze();
      await page.restore();
      await world.clock.advance(MINUTE);
      expect([keys(world), world.sent]).toEqual([[], []]);
    }));
  it("becomes stored and sent by optIn, each event as what it was", () =>
    inPage({ ...PENDING, stamp: true }, async (page, world) => {
      const before = world.clock.wall();
      await page.track("a");
      await world.clock.advance(MINUTE);
      await call(page, "identify", "bob", "acme");
      await call(page, "pageview", { visit_url: "https://site.example/b" });
      await call(page, "optIn");
      expect(world.stored().sort()).toEqual(["a", "pageview"]);
      await world.clock.advance(1_000);
      const bodies = world.sent.map(({ body }) => JSON.parse(body));
      bodies.sort((one, other) => one.params.occurred_at - other.params.occurred_at);
      expect(bodies.map(({ contact_uid }) => contact_uid)).toEqual(["ann", "bob"]);
      expect(bodies[0].params.occurred_at).toBe(before);
      expect(bodies[1].params).toMatchObject({ account_uid: "acme", visit_url: "https://site.example/b" });
    }));
  it("is left in another tab, too, before its next round", () =>
    inHealthyWorld(async (world) => {
      const [page, other] = [await world.open(PENDING), await world.open(PENDING)];
      await page.track("here");
      await other.track("there");
      await call(page, "optIn");
      expect((await sent(world)).sort()).toEqual(["ann here", "ann there"]);
      await other.track("later");
      expect(await sent(world)).toContain("ann later");
    }));
  it("is left in another tab with the contact of that one, also when there is none any more", () =>
    inHealthyWorld(async (world) => {
      const [page, other] = [await world.open(PENDING), await world.open(PENDING)];
      await call(page, "reset");
      await call(page, "optIn");
      await other.track("there");
      await page.track("after");
      expect(await sent(world)).not.toContain("ann after");
      await call(page, "identify", "bob");
      expect(await sent(world)).toContain("bob after");
    }));
  it.each<[string, Partial<Config>, (page: Page) => Promise<unknown>]>([
    ["pending", PENDING, async () => {}],
    ["refused", {}, (page) => call(page, "optOut")],
  ])("is left in another tab that knows nobody: the contact of this one stays (%s)", (_, config, refuse) =>
    inHealthyWorld(async (world) => {
      const nobody = { ...config, ...anonymous };
      const [page, other] = [await world.open(nobody), await world.open(nobody)];
      await refuse(page);
      await world.clock.advance(10);
      await call(page, "identify", "bob");
      await call(other, "optIn");
      await world.clock.advance(10);
      await page.track("late");
      expect(await sent(world)).toEqual(["bob late"]);
    }),
  );
  it("is stored by optIn although what waits fills the storage, and hides no later refusal", async () => {
    for (let room = 30; room < 700; room += 30)
      await inHealthyWorld(async (world) => {
        const [page, other] = [await world.open(PENDING), await world.open(PENDING)];
        for (const name of ["a", "b", "c", "d", "e"]) await page.track(name);
        fill(world.storage);
        world.storage.quota += room;
        await call(page, "optIn");
        expect(world.storage.rows[CHOICE], `with room for ${room}`).toBe("granted");
        await world.clock.advance(MINUTE);
        world.storage.quota = Number.POSITIVE_INFINITY;
        await call(other, "optOut");
        await world.clock.advance(10);
        await page.track("after");
        expect(await sent(world), `with room for ${room}`).not.toContain("ann after");
      });
  });
  it("keeps the contact that the storage knows from before, and events wait for it", () =>
    inHealthyWorld(async (world) => {
      const before = await world.open({ contactUid: "zoe" });
      await call(before, "reset");
      await call(before, "identify", "bob");
      before.kill();
      await world.clock.advance(1_000);
      const page = await world.open({ ...PENDING, ...anonymous });
      await page.track("a");
      await call(page, "optIn");
      await page.track("b");
      expect(await sent(world)).toEqual(["bob a", "bob b"]);
    }));
  it("gives events from before a reset to nobody", () =>
    inPage({ ...PENDING, ...anonymous }, async (page, world) => {
      await page.track("a");
      await call(page, "reset");
      await call(page, "identify", "bob");
      await page.track("b");
      await call(page, "optIn");
      expect([await sent(world), world.stored()]).toEqual([["bob b"], []]);
    }));
  it("lets flush resolve at once", () =>
    inPage(PENDING, async (page) => {
      await page.track("a");
      let result: unknown;
      await page.run(() => void page.tracker.flush().then((value) => (result = value)));
      expect(result).toEqual({ delivered: 0, queued: 1, dropped: 0 });
    }));
  it("has the bounds of the queue", () =>
    inPage({ ...PENDING, maxEvents: 2 }, async (page, world) => {
      for (const name of ["a", "b", "c"]) await page.track(name);
      await call(page, "optIn");
      expect(await sent(world)).toEqual(["ann b", "ann c"]);
      expect(page.problems.map(({ code }) => code)).toEqual(["evicted"]);
    }));
  it("works without a storage, too", () =>
    inHealthyWorld(async (world) => {
      world.storage.isDenied = true;
      const page = await world.open(PENDING);
      await page.track("a");
      expect(await sent(world)).toEqual([]);
      await call(page, "optIn");
      expect(await sent(world)).toEqual(["ann a"]);
      await call(page, "optOut");
      await page.track("b");
      expect(await sent(world)).toEqual(["ann a"]);
    }));
});
