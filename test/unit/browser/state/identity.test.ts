import { beforeEach, describe, expect, it } from "vitest";
import { createIdentity } from "../../../../src/browser/state/identity.js";
import { createStore } from "../../../../src/browser/state/storage.js";
import { createArea, type FakeArea, fill } from "../../../simulation/area.js";

let fake: FakeArea;
let identity: ReturnType<typeof createIdentity>;
const another = () => createIdentity(createStore("t:", fake.area));
const epoch = (): number => identity.read()[0];

beforeEach(() => {
  fake = createArea();
  identity = another();
});

it("knows nobody at first", () => expect(identity.read()[1]).toBeUndefined());

it("is remembered across pages and known to all tabs", () => {
  identity.set("ann", "acme");
  expect(another().read().slice(1)).toEqual(["ann", "acme"]);
});

it("replaces contact and account together", () => {
  identity.set("ann", "acme");
  identity.set("bob");
  expect(identity.read()[1]).toBe("bob");
  expect(identity.read()[2] || "none").toBe("none");
});

it("keeps every character of a name", () => {
  const name = '"[],\\\n\u2028\u0001 日本 \ud83d\ude00 \ud800';
  identity.set(name, name);
  expect(another().read().slice(1)).toEqual([name, name]);
});

describe("a reset", () => {
  it("forgets the contact in all tabs and begins another epoch", () => {
    const other = another();
    identity.set("ann", "acme");
    const before = epoch();
    other.reset();
    expect(identity.read()[1] ?? "nobody").toBe("nobody");
    expect(epoch()).not.toBe(before);
  });
  it("never returns to an earlier epoch", () => {
    const seen = new Set([epoch()]);
    for (let turn = 0; turn < 20; turn++) {
      (turn % 2 ? identity : another()).reset();
      identity.set(`contact ${turn}`);
      seen.add(epoch());
    }
    expect(seen.size).toBe(21);
  });
  it("is not undone by identifying", () => {
    identity.reset();
    const after = epoch();
    identity.set("ann");
    expect(epoch()).toBe(after);
  });
});

describe("the storage", () => {
  it("that the page has emptied does not make the contact unknown", () => {
    identity.set("ann", "acme");
    delete fake.rows["t:identity"];
    expect(identity.read().slice(1)).toEqual(["ann", "acme"]);
  });
  it("that is denied leaves the contact in memory", () => {
    fake.isDenied = true;
    identity.set("ann", "acme");
    expect(identity.read().slice(1)).toEqual(["ann", "acme"]);
  });
  it("that fills up does not bring an earlier contact back", () => {
    identity.set("ann");
    fill(fake);
    identity.set("someone with a longer name");
    expect(identity.read()[1]).toBe("someone with a longer name");
  });
  it.each([
    "",
    "x",
    "{",
    "{}",
    "5",
    "null",
    "true",
    '"text"',
    "[",
    "[]",
    "{}[0]",
    "[0,5]",
    "[0,{}]",
    '[0,["a"]]',
    '[0,"a",{}]',
    '[0,"a",["b"]]',
    '["0","a"]',
    "[1e9999]",
    "NaN",
    "1e9999",
    "\u0000",
    "\u0000\u0000account",
    "\u0000contact\u0000account",
    "0\u0000contact",
  ])("with the row %j is nobody", (row) => {
    fake.rows["t:identity"] = row;
    expect(identity.read()[1] || "nobody").toBe("nobody");
    identity.set("ann");
    expect(another().read()[1]).toBe("ann");
    identity.reset();
    expect(another().read()[1] ?? "nobody").toBe("nobody");
  });
});

it("is written the same where a script of the page has changed how arrays are written", () => {
  const polluted = Array.prototype as { toJSON?: () => unknown };
  polluted.toJSON = () => "polluted";
  try {
    identity.set("ann", "acme");
    expect(another().read().slice(1)).toEqual(["ann", "acme"]);
  } finally {
    delete polluted.toJSON;
  }
});
