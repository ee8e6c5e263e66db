import { beforeEach, describe, expect, it } from "vitest";
import { createStore, type Store } from "../../../../src/browser/state/storage.js";
import { createArea, type FakeArea, fill } from "../../../simulation/area.js";

let fake: FakeArea;
let store: Store;
beforeEach(() => {
  fake = createArea();
  store = createStore("mine:", fake.area);
});

describe("an area that works", () => {
  it("holds the rows under the prefix", () => {
    store.set("a", "1");
    expect(fake.rows).toEqual({ "mine:a": "1" });
    expect(store.get("a")).toBe("1");
  });
  it("knows what another tab wrote", () => {
    fake.rows["mine:b"] = "2";
    expect(store.get("b")).toBe("2");
    fake.rows["mine:b"] = "3";
    expect(store.get("b")).toBe("3");
  });
  it("answers null for what is absent, removed, or removed by another tab", () => {
    store.set("a", "1");
    store.remove("a");
    store.set("b", "1");
    delete fake.rows["mine:b"];
    expect([store.get("a"), store.get("b"), store.get("c")]).toEqual([null, null, null]);
  });
  it("keeps an empty value", () => {
    store.set("a", "");
    expect(store.get("a")).toBe("");
  });
  it("lists its own keys in the order of their characters, and nobody else's", () => {
    for (const key of ["b:10", "a:2", "b:09"]) store.set(key, "x");
    Object.assign(fake.rows, { "other:a": "x", mine: "x", "not mine:z": "x" });
    expect(store.keys()).toEqual(["a:2", "b:09", "b:10"]);
  });
});

describe.each([
  ["denied", () => Object.assign(fake, { isDenied: true })],
  ["full", () => fill(fake)],
  [
    "absent",
    () => {
      store = createStore("mine:", () => null as never);
    },
  ],
])("an area that is %s", (_, spoil) => {
  beforeEach(spoil);
  it("is replaced by memory", () => {
    store.set("b", "2");
    store.set("a", "1");
    expect(store.get("a")).toBe("1");
    expect(store.keys()).toEqual(["a", "b"]);
    store.remove("a");
    expect(store.get("a")).toBeNull();
    expect(store.keys()).toEqual(["b"]);
    expect(fake.rows).toEqual({});
  });
});

describe("an area that fills up", () => {
  it("answers with what was last written, although the area still holds the old value", () => {
    store.set("who", "ann");
    fill(fake);
    store.set("who", "a longer name");
    expect(store.get("who")).toBe("a longer name");
  });
  it("removes a row from both", () => {
    store.set("a", "1");
    fill(fake);
    store.set("a", "longer");
    store.remove("a");
    expect(store.get("a")).toBeNull();
    expect(fake.rows).toEqual({});
  });
  it("is used again once there is room", () => {
    fill(fake);
    store.set("a", "1");
    fake.quota = 1_000;
    store.set("b", "2");
    store.set("a", "3");
    expect(fake.rows).toEqual({ "mine:a": "3", "mine:b": "2" });
    expect(store.keys()).toEqual(["a", "b"]);
  });
});

it("shares one area between tabs, but not what did not fit", () => {
  const other = createStore("mine:", fake.area);
  store.set("a", "1");
  fill(fake);
  store.set("b", "2");
  expect([other.get("a"), other.get("b")]).toEqual(["1", null]);
});
