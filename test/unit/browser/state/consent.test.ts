/** What the visitor allows, in pages of a fake browser: nothing stored, nothing sent, until it is granted. */
import { describe, expect, it } from "vitest";
import type { Config, Tracker } from "../../../../src/types.js";
import { fill } from "../../../simulation/area.js";
import { inWorld, type Page, type World } from "../../../simulation/world.js";
import { acceptAll, anonymous, answerBy, MINUTE } from "../../../support/verbs.js";

const inHealthyWorld = (test: (world: World) => Promise<void>): Promise<void> =>
  inWorld(async (world) => {
    acceptAll(world);
    await test(world);
  });
const inPage = (config: Partial<Config>, test: (page: Page, world: World) => Promise<void>): Promise<void> =>
  inHealthyWorld(async (world) => test(await world.open(config), world));
const call = (page: Page, verb: keyof Tracker, ...args: unknown[]): Promise<unknown> =>
  page.run(() => (page.tracker[verb] as (...given: unknown[]) => unknown)(...args));
/** What was sent in the end, as `contact event`. */
const sent = async (world: World): Promise<string[]> => {
  await world.clock.advance(MINUTE);
  return world.sent.map(({ body, name }) => `${JSON.parse(body).contact_uid} ${name}`);
};
const keys = (world: World): string[] => Object.keys(world.storage.rows).sort();
const CHOICE = "tracklet:consent";
const PENDING: Partial<Config> = { consent: "pending" };

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
      world.onRequest = () => {};
      await call(page, "optIn");
      expect(world.stored().sort()).toEqual(["a", "pageview"]);
      await world.clock.advance(20);
      const bodies = world.sent.map(({ body }) => JSON.parse(body));
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

describe.each<[string, Partial<Config>]>([
  ["pending", PENDING],
  ["granted", {}],
])("optOut while %s", (state, config) => {
  it("forgets what waits and wipes all but the choice, for good", () =>
    inWorld(async (world) => {
      world.storage.rows["other:event"] = "not ours";
      const page = await world.open(config);
      await page.track("a");
      await world.clock.advance(MINUTE);
      const begun = world.sent.length;
      expect(begun > 0).toBe(state === "granted");
      await call(page, "optOut");
      expect(keys(world)).toEqual(["other:event", CHOICE]);
      for (const request of world.openRequests()) await request.fail();
      await page.track("b");
      await call(page, "identify", "bob");
      await world.clock.advance(MINUTE);
      await page.leave();
      page.kill();
      const next = await world.open(config);
      await next.track("c");
      await world.clock.advance(MINUTE);
      expect(world.sent).toHaveLength(begun);
      expect(keys(world)).toEqual(["other:event", CHOICE]);
      expect(world.storage.rows[CHOICE]).toBe("denied");
    }));
  it("reaches other tabs before their next round, and what they wrote meanwhile goes as well", () =>
    inWorld(async (world) => {
      const [page, other] = [await world.open(config), await world.open(config)];
      await call(page, "optOut");
      // Before the other tab has heard of it: written by what does not ask.
      world.storage.rows["tracklet:event:x:1000000:1:"] = "{}";
      await world.clock.advance(10);
      expect(keys(world)).toEqual([CHOICE]);
      await other.track("b");
      await world.clock.advance(MINUTE);
      expect([world.sent, keys(world)]).toEqual([[], [CHOICE]]);
    }));
  it("is undone by optIn, for what comes then", () =>
    inPage({ ...config, ...anonymous }, async (page, world) => {
      await page.track("a");
      await call(page, "optOut");
      await page.track("b");
      await call(page, "identify", "bob");
      await call(page, "optIn");
      await page.track("c");
      expect(await sent(world)).toEqual(["bob c"]);
      page.kill();
      await (await world.open({ ...config, ...anonymous })).track("d");
      expect(await sent(world)).toEqual(["bob c", "bob d"]);
    }));
});

it("optOut elsewhere holds although that page empties the storage in the same task", () =>
  inPage({}, async (page, world) => {
    const other = await world.open();
    await other.run(() => {
      other.tracker.optOut();
      other.window.localStorage.clear();
    });
    await world.clock.advance(10);
    await page.track("a");
    expect(await sent(world)).toEqual([]);
    await call(other, "optIn");
    await world.clock.advance(10);
    await page.track("b");
    expect(await sent(world)).toEqual(["ann b"]);
  }));

it("optOut again wipes what a page has written that found no choice in the emptied storage", () =>
  inPage({}, async (page, world) => {
    await call(page, "optOut");
    await page.run(() => page.window.localStorage.clear());
    const other = await world.open();
    await other.track("a");
    other.kill();
    await call(page, "optOut");
    expect(keys(world)).toEqual([CHOICE]);
  }));

it("an agreement that could not be stored gives way to a refusal elsewhere", () =>
  inHealthyWorld(async (world) => {
    const [page, other] = [await world.open(PENDING), await world.open(PENDING)];
    fill(world.storage);
    await call(page, "optIn");
    world.storage.quota = Number.POSITIVE_INFINITY;
    await call(other, "optOut");
    await world.clock.advance(10);
    await page.track("a");
    expect(await sent(world)).toEqual([]);
  }));

it("optOut elsewhere holds in a frozen page from when it comes back", () =>
  inPage({}, async (page, world) => {
    answerBy(world, () => 503, 3_600);
    await page.track("a");
    await world.clock.advance(100);
    await page.freeze();
    await call(await world.open(), "optOut");
    await page.restore();
    await world.clock.advance(2 * 3_600_000);
    expect([world.sent.length, keys(world)]).toEqual([1, [CHOICE]]);
  }));

it("the stored choice beats what the configuration says, except for denied and the signal that it respects", async () => {
  const isGranted = (
    choice: string | undefined,
    { consent, respectGpc }: Partial<Config>,
    signal: boolean,
  ): boolean => {
    if (consent === "denied" || (respectGpc && signal)) return false;
    if (choice === "granted" || choice === "denied") return choice === "granted";
    return consent !== "pending";
  };
  const wrong: string[] = [];
  for (const choice of [undefined, "granted", "denied", "not granted", "denied not"])
    for (const consent of [undefined, "granted", "pending", "denied"] as const)
      for (const respectGpc of [true, false])
        for (const signal of [true, false])
          await inHealthyWorld(async (world) => {
            const config = consent ? { consent, respectGpc } : { respectGpc };
            if (choice) world.storage.rows[CHOICE] = choice;
            Object.defineProperty(Object.prototype, "globalPrivacyControl", { value: signal, configurable: true });
            const page = await world.open(config);
            await page.track("a");
            const isSent = (await sent(world)).length > 0;
            if (isSent !== isGranted(choice, config, signal) || world.storage.rows[CHOICE] !== choice)
              wrong.push(`${JSON.stringify(config)}, the signal ${signal}, with the stored choice ${choice}`);
          }).finally(() => Reflect.deleteProperty(Object.prototype, "globalPrivacyControl"));
  expect(wrong).toEqual([]);
});

it("optOut holds although the storage was full", () =>
  inPage({}, async (page, world) => {
    await page.track("a");
    fill(world.storage);
    await call(page, "optOut");
    expect(keys(world)).toEqual([CHOICE]);
    page.kill();
    const before = world.sent.length;
    const next = await world.open();
    await next.track("b");
    expect((await sent(world)).length).toBe(before);
  }));

it("denied by the configuration leaves nothing of earlier pages but the choice", () =>
  inWorld(async (world) => {
    const before = await world.open({ contactUid: "ann" });
    await before.track("a");
    await call(before, "optIn");
    before.kill();
    await world.open({ consent: "denied" });
    expect(keys(world)).toEqual([CHOICE]);
  }));

it.each([
  ["optIn", ["tracklet:identity", CHOICE]],
  ["optOut", [CHOICE, "tracklet:identity"]],
] as const)("%s writes the log-out and the choice in the order in which other tabs need them", async (verb, order) =>
  inWorld(async (world) => {
    const [page, other] = [await world.open(verb === "optIn" ? PENDING : {}), await world.open(PENDING)];
    await call(page, "reset");
    await world.clock.advance(10);
    const heard: unknown[] = [];
    other.window.addEventListener("storage", (event) => heard.push((event as StorageEvent).key));
    await call(page, verb);
    await world.clock.advance(10);
    expect(heard.slice(0, 2)).toEqual(order);
  }),
);

it("reset leaves the choice alone", () =>
  inWorld(async (world) => {
    const page = await world.open();
    for (const verb of ["optIn", "reset"] as const) await call(page, verb);
    expect(world.storage.rows[CHOICE]).toBe("granted");
  }));

it("the choice outlives a page's emptying of the storage while the page lasts", () =>
  inPage({}, async (page, world) => {
    await call(page, "optOut");
    delete world.storage.rows[CHOICE];
    await page.track("a");
    expect(await sent(world)).toEqual([]);
  }));
