/** Whose an event is: the document's own contact, or the last one of the site. */
import { describe, expect, it } from "vitest";
import { fill } from "../../../simulation/area.js";
import type { Page, World } from "../../../simulation/world.js";
import { anonymous, bodies, identify, inHealthyWorld, reset } from "../../../support/verbs.js";

const ROW = "tracklet:identity";
/** What was sent in the end, as `contact/account event`. */
const sent = async (world: World): Promise<string[]> =>
  ((await bodies(world)) as { contact_uid: string; event_uid: string; params: { account_uid?: string } }[])
    .map(({ contact_uid, event_uid, params }) => `${contact_uid}/${params.account_uid ?? ""} ${event_uid}`)
    .sort();

it("two documents that named somebody themselves each report their own", () =>
  inHealthyWorld(async (world) => {
    const [one, two] = [await world.open(anonymous), await world.open(anonymous)];
    await identify(one, "ann", "acme");
    await identify(two, "ann", "beta");
    await world.clock.advance(10);
    await one.hide();
    await one.show();
    await one.track("one");
    await two.track("two");
    expect(await sent(world)).toEqual(["ann/acme one", "ann/beta two"]);
  }));

it("a document that named nobody has the last contact of the site, told by the storage or when it is seen again", () =>
  inHealthyWorld(async (world) => {
    const before = await world.open(anonymous);
    await identify(before, "ann", "acme");
    const later = await world.open(anonymous);
    await later.track("later");
    const cached = await world.open(anonymous);
    await cached.freeze();
    await identify(before, "bob");
    await world.clock.advance(10);
    await cached.restore();
    await cached.track("cached");
    await later.track("again");
    expect(await sent(world)).toEqual(["ann/acme later", "bob/ again", "bob/ cached"]);
  }));

it("every character of a name is kept", () =>
  inHealthyWorld(async (world) => {
    const name = '"[],\\\n\u2028\u0001 日本 \ud83d\ude00';
    await identify(await world.open(anonymous), name, name);
    await (await world.open(anonymous)).track("a");
    expect(await sent(world)).toEqual([`${name}/${name} a`]);
  }));

it("a reset ends what every document knew of its visitor, also one in the back/forward cache", () =>
  inHealthyWorld(async (world) => {
    const [page, other, cached] = [
      await world.open(anonymous),
      await world.open(anonymous),
      await world.open(anonymous),
    ];
    for (const one of [page, other, cached]) await identify(one, "ann", "acme");
    await cached.freeze();
    await reset(page);
    await world.clock.advance(10);
    await other.track("other");
    await identify(page, "bob");
    await cached.restore();
    await cached.track("cached");
    expect(await sent(world)).toEqual(["bob/ cached", "bob/ other"]);
  }));

it("a reset ends it although the page empties the storage in the same task", () =>
  inHealthyWorld(async (world) => {
    const [page, other] = [await world.open(), await world.open()];
    await page.run(() => {
      page.tracker.reset();
      page.window.localStorage.clear();
    });
    await world.clock.advance(10);
    await other.track("a");
    await world.clock.advance(1_000);
    expect([world.sent, Object.values(world.storage.rows).filter((row) => row.includes("ann"))]).toEqual([[], []]);
    // What another one names next holds all the same.
    await identify(page, "bob");
    expect(await sent(world)).toEqual(["bob/ a"]);
  }));

it("who has logged out on a full storage is not who the next page knows", () =>
  inHealthyWorld(async (world) => {
    const page = await world.open();
    fill(world.storage);
    await reset(page);
    page.kill();
    await (await world.open(anonymous)).track("a");
    expect(await sent(world)).toEqual([]);
  }));

it("what could not be stored gives way to what another document stores later", () =>
  inHealthyWorld(async (world) => {
    const [page, other] = [await world.open(anonymous), await world.open(anonymous)];
    fill(world.storage);
    await identify(page, "ann");
    world.storage.quota = Number.POSITIVE_INFINITY;
    await reset(other);
    await identify(other, "bob");
    await world.clock.advance(10);
    await page.track("a");
    expect(await sent(world)).toEqual(["bob/ a"]);
  }));

it("a document that has reset its own contact has the next one of the site", () =>
  inHealthyWorld(async (world) => {
    const [page, other] = [await world.open(), await world.open(anonymous)];
    await reset(page);
    await identify(other, "bob");
    await world.clock.advance(10);
    await page.track("a");
    expect(await sent(world)).toEqual(["bob/ a"]);
  }));

describe("a document that is allowed to store", () => {
  const allow = (page: Page): Promise<void> => page.run(() => page.tracker.optIn());
  const pending = { consent: "pending" } as const;
  it("is over with its contact where another one has logged out since", () =>
    inHealthyWorld(async (world) => {
      const [page, other] = [await world.open(pending), await world.open(pending)];
      await world.clock.advance(1_000);
      await reset(other);
      await allow(other);
      await world.clock.advance(10);
      await page.track("a");
      expect(await sent(world)).toEqual([]);
    }));
  it("ends no other one's contact by its own", () =>
    inHealthyWorld(async (world) => {
      const before = await world.open();
      await reset(before);
      before.kill();
      await world.clock.advance(1_000);
      const [other, page] = [await world.open({ contactUid: "carl" }), await world.open(pending)];
      await page.track("here");
      await allow(page);
      await world.clock.advance(10);
      await other.track("there");
      expect(await sent(world)).toEqual(["ann/ here", "carl/ there"]);
    }));
  it("keeps its events for who comes next where nobody was known", () =>
    inHealthyWorld(async (world) => {
      const [page, other] = [await world.open({ ...pending, ...anonymous }), await world.open(anonymous)];
      await page.track("a");
      await allow(page);
      await identify(other, "bob");
      expect(await sent(world)).toEqual(["bob/ a"]);
    }));
});

it("a document that names somebody after a reset elsewhere, which it has not heard of, is not reset by it", () =>
  inHealthyWorld(async (world) => {
    const [page, other] = [await world.open(anonymous), await world.open(anonymous)];
    await identify(other, "ann");
    await reset(page);
    await identify(other, "bob");
    await world.clock.advance(10);
    await other.track("a");
    expect(await sent(world)).toEqual(["bob/ a"]);
  }));

it("a storage that is emptied, denied or full does not make the contact unknown", async () => {
  const spoils: ((world: World) => unknown)[] = [
    ({ storage }) => delete storage.rows[ROW],
    ({ storage }) => Object.assign(storage, { isDenied: true }),
    ({ storage }) => fill(storage),
  ];
  for (const spoil of spoils)
    await inHealthyWorld(async (world) => {
      const page = await world.open(anonymous);
      await identify(page, "ann");
      spoil(world);
      await identify(page, "someone with a longer name", "acme");
      await page.hide();
      await page.show();
      await page.track("a");
      expect(await sent(world)).toEqual(["someone with a longer name/acme a"]);
    });
});

it("a row that something else wrote is nobody, and does no harm", async () => {
  const wrong: string[] = [];
  for (const row of ["", "x", "{", "null", '[0,"a"]', "\0"])
    await inHealthyWorld(async (world) => {
      world.storage.rows[ROW] = row;
      const page = await world.open(anonymous);
      await page.track("a");
      await world.clock.advance(1_000);
      if (world.sent.length) wrong.push(`${row}: sent`);
      await identify(page, "ann");
      await (await world.open(anonymous)).track("b");
      if (`${await sent(world)}` !== "ann/ a,ann/ b") wrong.push(row);
    });
  expect(wrong).toEqual([]);
});
