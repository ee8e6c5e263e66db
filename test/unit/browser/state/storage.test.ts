import { beforeEach, describe, expect, it } from "vitest";
import { type FakeArea, fill } from "../../../simulation/area.js";
import { fresh, stubStorage } from "../fresh.js";

type Storage = typeof import("../../../../src/browser/state/storage.js");
let fake: FakeArea;
let store: Storage;
/** The storage as another document has it. */
const another = async (): Promise<Storage> => {
  const loaded = await fresh({ name: "mine" }, () => import("../../../../src/browser/state/storage.js"));
  loaded.open(true);
  return loaded;
};
beforeEach(async () => {
  fake = stubStorage();
  store = await another();
});

describe("an area that works", () => {
  it("holds the rows under the name, and knows what another tab has written and removed", () => {
    store.set("a", "1");
    store.set("empty", "");
    fake.rows["mine:b"] = "2";
    expect(fake.rows).toEqual({ "mine:a": "1", "mine:empty": "", "mine:b": "2" });
    expect(["a", "b", "empty", "c"].map(store.get)).toEqual(["1", "2", "", undefined]);
    store.remove("a");
    delete fake.rows["mine:b"];
    expect(["a", "b"].map(store.get)).toEqual([undefined, undefined]);
  });
  it("lists its own keys in the order of their characters, and nobody else's", () => {
    for (const key of ["b:10", "a:2", "b:09"]) store.set(key, "x");
    Object.assign(fake.rows, { "other:a": "x", mine: "x", "not mine:z": "x" });
    expect(store.keys()).toEqual(["a:2", "b:09", "b:10"]);
  });
});

describe.each<[string, () => unknown]>([
  ["denied", () => Object.assign(fake, { isDenied: true })],
  ["full", () => fill(fake)],
  ["absent", () => Object.defineProperty(globalThis, "localStorage", { value: null, configurable: true })],
  ["closed", () => store.open(false)],
])("an area that is %s", (_, spoil) => {
  beforeEach(() => void spoil());
  it("is replaced by memory", () => {
    store.set("b", "2");
    store.set("a", "1");
    expect([store.get("a"), store.keys()]).toEqual(["1", ["a", "b"]]);
    store.remove("a");
    expect([store.get("a"), store.keys()]).toEqual([undefined, ["b"]]);
    expect(fake.rows).toEqual({});
  });
});

it("keeps the visitor's choice alone while it is closed, and is read all the same", () => {
  store.set("a", "1");
  store.open(false);
  store.set("a", "2");
  store.set("consent", "denied");
  expect([store.get("a"), store.getStored("a"), store.get("consent")]).toEqual(["2", "1", "denied"]);
  expect(fake.rows).toEqual({ "mine:a": "1", "mine:consent": "denied" });
});

describe("an area that fills up", () => {
  it("answers with what was last written, and removes it from both", () => {
    store.set("who", "ann");
    fill(fake);
    store.set("who", "a longer name");
    expect(store.get("who")).toBe("a longer name");
    store.remove("who");
    expect([store.get("who"), fake.rows]).toEqual([undefined, {}]);
  });
  it("is used again once there is room, and shares with other tabs what did fit", async () => {
    fill(fake);
    store.set("a", "1");
    store.set("c", "4");
    fake.quota = 1_000;
    store.set("b", "2");
    store.set("a", "3");
    expect(fake.rows).toEqual({ "mine:a": "3", "mine:b": "2" });
    expect(store.keys()).toEqual(["a", "b", "c"]);
    expect((await another()).keys()).toEqual(["a", "b"]);
    for (const key of Object.keys(fake.rows)) delete fake.rows[key];
    expect(store.keys()).toEqual(["c"]);
  });
});
