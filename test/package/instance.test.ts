// @vitest-environment happy-dom
/** A tracker of an app's own, as it is built. */
import { join } from "node:path";
import { afterEach, expect, it, vi } from "vitest";

const { createTracker }: typeof import("../../src/instance.js") = await import(
  join(import.meta.dirname, "../../dist/instance.js")
);
const start = (name: string) =>
  createTracker({ name, apiToken: `${name}-token`, trackUrl: "https://track.example", pageviews: "off" });
/** Names of trackers and events that wait. */
const waiting = (): string[] =>
  Object.entries(localStorage).flatMap(([key, row]) =>
    key.includes(":event") ? `${key.split(":")[0]} ${JSON.parse(row.slice(row.indexOf("{"))).event_uid}` : [],
  );

afterEach(() => vi.unstubAllGlobals());

it("each name has one tracker, with a queue, a contact and a choice of its own", () => {
  // Files of tests share the storage of their worker.
  localStorage.clear();
  vi.stubGlobal("fetch", () => new Promise(() => {}));
  const [shop, cart] = [start("shop"), start("cart")];
  expect(start("shop")).toBe(shop);
  shop.identify("ann", "acme");
  cart.identify("bob");
  shop.track("bought");
  cart.track("filled");
  expect([shop.identity(), cart.identity()]).toEqual([
    ["ann", "acme"],
    ["bob", ""],
  ]);
  expect(waiting().sort()).toEqual(["cart filled", "shop bought"]);
  cart.optOut();
  expect([shop.consent(), cart.consent(), waiting()]).toEqual(["granted", "denied", ["shop bought"]]);
  shop.optOut();
  expect(waiting()).toEqual([]);
});

it("what a test records under its name sees an instance that was made before", async () => {
  const { recordEvents }: typeof import("../../src/recorder.js") = await import(
    join(import.meta.dirname, "../../dist/test.js")
  );
  vi.stubGlobal("fetch", () => new Promise(() => {}));
  const { track, identify } = start("shop");
  const events = recordEvents({ name: "shop" });
  identify("ann");
  track("bought");
  expect(events.all()).toEqual([{ contact_uid: "ann", event_uid: "bought", params: {} }]);
  events.restore();
  vi.stubGlobal("window", undefined);
  expect(() => recordEvents()).toThrow("recordEvents needs a page (window)");
});

it("on a server it does and keeps nothing", async () => {
  vi.stubGlobal("window", undefined);
  const { flush, identity, consent, onChange, ...verbs } = start("shop");
  for (const verb of Object.values(verbs)) expect(Reflect.apply(verb, undefined, ["ann"])).toBeUndefined();
  expect(onChange(() => {})()).toBeUndefined();
  expect([await flush(), identity(), consent()]).toEqual([{ delivered: 0, queued: 0, dropped: 0 }, [], "pending"]);
});
