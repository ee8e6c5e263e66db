/** What the visitor has allowed or refused, in pages of a fake browser, and what holds where nobody has chosen. */
import { describe, expect, it } from "vitest";
import type { Config } from "../../../../src/types.js";
import { fill } from "../../../simulation/area.js";
import { inWorld } from "../../../simulation/world.js";
import { CHOICE, call, inPage, keys, PENDING, sent } from "../../../support/choices.js";
import { anonymous, answerBy, inHealthyWorld, MINUTE } from "../../../support/verbs.js";

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
