import { beforeEach, describe, expect, it } from "vitest";
import { scopeOf } from "../../../../src/shared/scope.js";
import { type FakeArea, fill } from "../../../simulation/area.js";
import { fresh, stubStorage } from "../fresh.js";

type Storage = typeof import("../../../../src/browser/state/storage.js");
let fake: FakeArea;
let store: Storage;
/** The storage as another document has it. */
const another = async (): Promise<Storage> => {
  const loaded = await fresh({ name: "mine" }, () => import("../../../../src/browser/state/storage.js"));
  loaded.allow("granted");
  return loaded;
};
beforeEach(async () => {
  fake = stubStorage();
  store = await another();
});

describe("an area that works", () => {
  it("holds the rows, and knows what another tab has written and removed", () => {
    store.set("mine:a", "1");
    store.set("mine:empty", "");
    fake.rows["mine:b"] = "2";
    expect(fake.rows).toEqual({ "mine:a": "1", "mine:empty": "", "mine:b": "2" });
    expect(["mine:a", "mine:b", "mine:empty", "mine:c"].map(store.get)).toEqual(["1", "2", "", undefined]);
    store.remove("mine:a");
    delete fake.rows["mine:b"];
    expect(["mine:a", "mine:b"].map(store.get)).toEqual([undefined, undefined]);
  });
  it("has rows of this token and of the former one, and of all tokens", () => {
    const [own, former] = ["token", undefined].map((token) => `mine:${scopeOf(token)}:`);
    expect([store.filed("a"), store.named("consent")]).toEqual([`${own}a`, "mine:consent"]);
    const ours = [
      `${own}a`,
      `${former}a`,
      "mine:consent",
      "mine:mute",
      `mine:${scopeOf("other")}:a`,
      "mine:a",
      `s${own}a`,
    ];
    expect(ours.filter(store.isOurs)).toEqual(ours.slice(0, 4));
  });
  it("lists its own keys in the order of their characters, and nobody else's", () => {
    for (const key of ["mine:b:10", "mine:a:2", "mine:b:09"]) store.set(key, "x");
    Object.assign(fake.rows, { "other:a": "x", mine: "x", "not mine:z": "x" });
    expect(store.keys()).toEqual(["mine:a:2", "mine:b:09", "mine:b:10"]);
  });
});

describe.each<[string, () => unknown]>([
  ["denied", () => Object.assign(fake, { isDenied: true })],
  ["full", () => fill(fake)],
  ["absent", () => Object.defineProperty(globalThis, "localStorage", { value: null, configurable: true })],
  ["closed", () => store.allow("pending")],
])("an area that is %s", (_, spoil) => {
  beforeEach(() => void spoil());
  it("is replaced by memory", () => {
    store.set("mine:b", "2");
    store.set("mine:a", "1");
    expect([store.get("mine:a"), store.keys()]).toEqual(["1", ["mine:a", "mine:b"]]);
    store.remove("mine:a");
    expect([store.get("mine:a"), store.keys()]).toEqual([undefined, ["mine:b"]]);
    expect(fake.rows).toEqual({});
  });
});

it("keeps the visitor's choice alone while it is closed, and is read all the same", () => {
  store.set("mine:a", "1");
  store.allow("pending");
  store.set("mine:a", "2");
  store.set("mine:consent", "denied");
  expect([store.get("mine:a"), store.getStored("mine:a"), store.get("mine:consent")]).toEqual(["2", "1", "denied"]);
  expect(fake.rows).toEqual({ "mine:a": "1", "mine:consent": "denied" });
});

describe("an area that fills up", () => {
  it("answers with what was last written, and removes it from both", () => {
    store.set("mine:who", "ann");
    fill(fake);
    store.set("mine:who", "a longer name");
    expect(store.get("mine:who")).toBe("a longer name");
    store.remove("mine:who");
    expect([store.get("mine:who"), fake.rows]).toEqual([undefined, {}]);
  });
  it("is used again once there is room, and shares with other tabs what did fit", async () => {
    fill(fake);
    store.set("mine:a", "1");
    store.set("mine:c", "4");
    fake.quota = 1_000;
    store.set("mine:b", "2");
    store.set("mine:a", "3");
    expect(fake.rows).toEqual({ "mine:a": "3", "mine:b": "2" });
    expect(store.keys()).toEqual(["mine:a", "mine:b", "mine:c"]);
    expect((await another()).keys()).toEqual(["mine:a", "mine:b"]);
    for (const key of Object.keys(fake.rows)) delete fake.rows[key];
    expect(store.keys()).toEqual(["mine:c"]);
  });
});
