/** A tracker of one's own follows the page's: one visitor, who chooses once and logs out once. */
import { expect, it } from "vitest";
import type { Config, Hub } from "../../src/types.js";
import type { Opening } from "../simulation/page.js";
import { inWorld, type Page, type World } from "../simulation/world.js";

type Instance = typeof import("../../src/browser/shared-visitor.js");

const NOBODY = { contactUid: undefined as never };
const createOn = async (page: Page, options: Partial<Config> = {}): Promise<Hub> => {
  const { openInstance } = await page.load<Instance>("src/browser/shared-visitor.ts");
  const config = { name: "shop", apiToken: "shop", trackUrl: "https://track.example", pageviews: "off" } as const;
  let hub: Hub;
  await page.run(() => (hub = openInstance({ ...config, onError: () => {}, ...options })));
  return hub!;
};
/** A page, and an instance on it. */
const openBoth = async (world: World, opening: Opening = {}, options: Partial<Config> = {}): Promise<[Page, Hub]> => {
  const page = await world.open(opening);
  const hub = await createOn(page, options);
  await world.clock.advance(100);
  return [page, hub];
};
/** Events of instances that were sent, with their contacts. */
const sent = ({ sent }: World): string =>
  sent
    .filter(({ url }) => url.endsWith("shop"))
    .map(({ body, name }) => `${JSON.parse(body).contact_uid}:${name}`)
    .sort()
    .join(" ");
const rows = ({ storage }: World): string[] =>
  Object.keys(storage.latest())
    .filter((key) => key.startsWith("shop:"))
    .map((key) => /\w+$|event/.exec(key)![0]);

it("a refusal on the page holds for instances, now and later, whatever these have been told, until it is taken back", () =>
  inWorld(async (world) => {
    world.isOnline = false;
    const [page, hub] = await openBoth(world);
    const [free, own] = [
      await createOn(page, { name: "free", consent: "granted" }),
      await createOn(page, { name: "own" }),
    ];
    await page.run(() => [own.optIn(), hub.identify("ann"), hub.track("one")]);
    await page.run(() => page.tracker.optOut());
    await page.run(() => [own.optIn(), hub.track("two")]);
    expect([hub, free, own].map(({ consent }) => consent())).toEqual(["denied", "denied", "denied"]);
    expect(rows(world)).toEqual([]);
    world.isOnline = true;
    const [other, later] = await openBoth(world, {}, { consent: "granted" });
    await other.run(() => later.track("three"));
    await world.clock.advance(60_000);
    expect([later.consent(), world.sent.length]).toEqual(["denied", 0]);
    await other.run(() => other.tracker.optIn());
    await world.clock.advance(100);
    await page.run(() => hub.track("four"));
    await world.clock.advance(60_000);
    expect([hub, later, own].map(({ consent }) => consent())).toEqual(["granted", "granted", "granted"]);
    expect(sent(world)).toBe("ann:four");
  }));

it("a log-out on the page is one of instances, now and later, and logs out nobody who has logged in since", () =>
  inWorld(async (world) => {
    const [page, hub] = await openBoth(world);
    const [cached, late] = await openBoth(world);
    await cached.freeze();
    await page.run(() => [hub.track("never addressed"), page.tracker.reset(), hub.track("of nobody")]);
    await page.run(() => [hub.identify("bob"), hub.track("one")]);
    await world.clock.advance(100);
    await cached.restore();
    await world.clock.advance(100);
    await cached.run(() => late.track("two"));
    await page.run(() => hub.track("three"));
    await world.clock.advance(100);
    expect([hub.identity(), late.identity()]).toEqual([
      ["bob", ""],
      ["bob", ""],
    ]);
    page.kill();
    cached.kill();
    // A page without instances, on which the visitor logs out and the next one in.
    const plain = await world.open();
    await plain.run(() => [plain.tracker.reset(), plain.tracker.identify("eve")]);
    const [next, later] = await openBoth(world, NOBODY);
    await next.run(() => later.track("of nobody"));
    expect([next.tracker.identity(), later.identity()]).toEqual([["eve", ""], []]);
    await next.run(() => [later.identify("eve"), later.reset(), later.identify("kim")]);
    await openBoth(world, NOBODY);
    expect(later.identity()).toEqual(["kim", ""]);
    expect(sent(world)).toBe("bob:one bob:three bob:two");
  }));

it("with identity: page, a log-out on the page before its document is none of its own, and one since is", () =>
  inWorld(async (world) => {
    const plain = await world.open();
    await plain.run(() => plain.tracker.reset());
    const [page, hub] = await openBoth(world, {}, { identity: "page" });
    await page.run(() => [hub.track("one"), hub.identify("bob"), page.tracker.reset(), hub.track("two")]);
    await page.run(() => [hub.identify("eve"), hub.track("three")]);
    await world.clock.advance(60_000);
    expect(sent(world)).toBe("bob:one eve:three");
  }));

it("without an option or a choice of its own it has the page's consent, pending as well", () =>
  inWorld(async (world) => {
    const [page, hub] = await openBoth(world, { consent: "pending" }, { contactUid: "ann" });
    const free = await createOn(page, { name: "free", apiToken: "free-shop", contactUid: "bob", consent: "granted" });
    await page.run(() => [hub.track("one"), free.track("two")]);
    await world.clock.advance(60_000);
    expect([hub.consent(), rows(world), sent(world)]).toEqual(["pending", [], "bob:two"]);
    await page.run(() => page.tracker.optIn());
    await world.clock.advance(1_000);
    expect([hub.consent(), sent(world)]).toEqual(["granted", "ann:one bob:two"]);
  }));

it("an option of the page's takes nothing away that it has stored, and binds none that has an option or a choice", () =>
  inWorld(async (world) => {
    world.isOnline = false;
    const [before, first] = await openBoth(world, {}, { contactUid: "ann" });
    await before.run(() => first.track("one"));
    before.kill();
    const [page, hub] = await openBoth(world, { consent: "denied" });
    await page.run(() => hub.track("two"));
    expect([hub.consent(), rows(world).includes("event")]).toEqual(["denied", true]);
    const [other, granted] = await openBoth(world, { mute: true }, { consent: "granted" });
    await other.run(() => granted.track("three"));
    world.isOnline = true;
    await world.clock.advance(60_000);
    expect(sent(world)).toBe("ann:one ann:three");
  }));

it.each<[what: string, before: (window: Record<string, unknown>) => void, consent: string]>([
  ["where calls wait for it", (window) => Object.assign(window, { tracklet: [["track", "x"]] }), "pending"],
  [
    "where its tag is there",
    (window) => Object.assign(window.document as object, { querySelector: () => ({}) }),
    "pending",
  ],
  ["without one", () => {}, "granted"],
  [
    "without one, where an element has its name",
    (window) => Object.assign(window, { tracklet: { id: "tracklet" } }),
    "granted",
  ],
])("it waits for the page's tracker, %s, and follows it once that is there", (_, before, consent) =>
  inWorld(async (world) => {
    const page = await world.open({ name: "unused" });
    before(page.window);
    const [hub, second] = [await createOn(page), await createOn(page, { name: "second" })];
    await world.clock.advance(100);
    expect([hub.consent(), second.consent()]).toEqual([consent, consent]);
    const { openHub } = await page.load<typeof import("../../src/browser/hub.js")>("src/browser/hub.ts");
    const config = {
      apiToken: "token",
      trackUrl: "https://track.example",
      consent: "denied",
      pageviews: "off",
    } as const;
    await page.run(() => openHub("tracklet").init(config));
    await world.clock.advance(100);
    expect([hub.consent(), second.consent()]).toEqual(["denied", "denied"]);
  }),
);
