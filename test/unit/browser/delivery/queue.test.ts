import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { HANDED_OFF } from "../../../../src/browser/delivery/event-key.js";
import { createQueue, type Queue } from "../../../../src/browser/delivery/queue.js";
import { createStore, type Store } from "../../../../src/browser/state/storage.js";
import { createArea, empty, type FakeArea, fill } from "../../../simulation/area.js";
import { eventName } from "../../../simulation/world.js";

const START = 1_700_000_000_000;
const DAY = 86_400_000;
let now: number;
let fake: FakeArea;
let store: Store;
let reports: { code: string; detail: string; body: string | undefined }[];

const createQueueOf = (bounds: [count: number, bytes: number, age: number] = [1_000, 1_000_000, 7 * DAY]): Queue =>
  createQueue(store, bounds, (code, detail, body) => reports.push({ code, detail, body }));
const body = (name: string, text = ""): string => JSON.stringify({ event_uid: name, params: { text } });
const names = (queue: Queue): string[] => [...queue.rows.values()].map(eventName);
const storedNames = (): string[] =>
  store
    .keys()
    .filter((key) => key.startsWith("event:"))
    .map((key) => eventName(store.get(key)!.replace(HANDED_OFF, "")));
const reported = (): string[] => reports.map(({ body: text }) => eventName(text!));
const keyOf = (queue: Queue, name: string): string => [...queue.rows].find(([, text]) => eventName(text) === name)![0];

/** Requests for these events, which outlive the page. */
const kept = (...keys: string[]): Map<string, number> => new Map(keys.map((key) => [key, 1]));

beforeEach(() => {
  now = START;
  vi.spyOn(Date, "now").mockImplementation(() => now);
  fake = createArea();
  store = createStore("t:", fake.area);
  reports = [];
});

afterEach(() => vi.restoreAllMocks());

it("makes an event durable before it returns, one key an event, and never touches the others", () => {
  const queue = createQueueOf();
  queue.append("tab", body("a"), "");
  const before = { ...fake.rows };
  expect(Object.values(before)).toEqual([body("a")]);
  queue.append("tab", body("b"), "");
  expect(fake.rows).toMatchObject(before);
  expect(Object.keys(fake.rows).length).toBe(2);
});

it("keeps the order although the clock is set back", () => {
  const queue = createQueueOf();
  for (let index = 0; index < 20; index++) {
    queue.append("tab", body(`e${index}`), "");
    now -= 1_000;
  }
  expect(storedNames()).toEqual(Array.from({ length: 20 }, (_, index) => `e${index}`));
});

it("forgets what was delivered, and counts it", () => {
  const queue = createQueueOf();
  queue.append("tab", body("a"), "");
  queue.append("tab", body("b"), "");
  queue.deliver(keyOf(queue, "a"));
  expect([names(queue), storedNames(), queue.tally]).toEqual([["b"], ["b"], { delivered: 1, dropped: 0 }]);
});

it("puts an event behind the others", () => {
  const queue = createQueueOf();
  for (const name of ["a", "b", "c"]) queue.append("tab", body(name), "");
  queue.postpone(keyOf(queue, "a"));
  expect(names(queue)).toEqual(["b", "c", "a"]);
});

describe("bounds", () => {
  it("of the count drop the oldest, and report it", () => {
    const queue = createQueueOf([3, 1_000_000, DAY]);
    for (const name of ["a", "b", "c", "d", "e"]) queue.append("tab", body(name), "");
    expect([names(queue), storedNames()]).toEqual([
      ["c", "d", "e"],
      ["c", "d", "e"],
    ]);
    expect(reports.map(({ code }) => code)).toEqual(["evicted", "evicted"]);
    expect(reported()).toEqual(["a", "b"]);
    expect(queue.tally.dropped).toBe(2);
  });
  it("of the bytes drop as many of the oldest as it takes", () => {
    const queue = createQueueOf([1_000, 1_000, DAY]);
    for (const name of ["a", "b", "c", "d"]) queue.append("tab", body(name, "x".repeat(200)), "");
    expect(names(queue).length).toBe(4);
    queue.append("tab", body("large", "x".repeat(600)), "");
    expect(names(queue)).toEqual(["d", "large"]);
    expect(reported()).toEqual(["a", "b", "c"]);
  });
  it("of the bytes drop what is larger than all that may wait, and nothing else", () => {
    const queue = createQueueOf([1_000, 1_000, DAY]);
    for (const name of ["a", "b"]) queue.append("tab", body(name), "");
    queue.append("tab", body("too large", "x".repeat(1_000)), "");
    expect(names(queue)).toEqual(["a", "b"]);
    expect(storedNames()).toEqual(["a", "b"]);
    expect(reported()).toEqual(["too large"]);
    queue.append("tab", body("c", "x".repeat(800)), "");
    expect(names(queue)).toEqual(["a", "b", "c"]);
  });
  it("of the bytes mean bytes in UTF-8", () => {
    const queue = createQueueOf([1_000, 1_000, DAY]);
    queue.append("tab", body("a", "日".repeat(200)), "");
    queue.append("tab", body("b", "日".repeat(200)), "");
    expect(names(queue)).toEqual(["b"]);
  });
  it("of the bytes are free again once events leave", () => {
    const queue = createQueueOf([1_000, 1_000, DAY]);
    for (let index = 0; index < 20; index++) {
      queue.append("tab", body(`e${index}`, "x".repeat(300)), "");
      queue.append("tab", body(`f${index}`, "x".repeat(300)), "");
      queue.deliver(keyOf(queue, `e${index}`));
      queue.postpone(keyOf(queue, `f${index}`));
      queue.deliver(keyOf(queue, `f${index}`));
    }
    expect(reports).toEqual([]);
  });
  it("hold for what was adopted, too", () => {
    createQueueOf([3, 1_000_000, DAY]).append("dead", body("a"), "");
    const queue = createQueueOf([3, 1_000_000, DAY]);
    for (const name of ["b", "c", "d"]) queue.append("mine", body(name), "");
    queue.load("dead");
    queue.append("mine", body("e"), "");
    expect(names(queue)).toEqual(["c", "d", "e"]);
    expect(reported()).toEqual(["a", "b"]);
  });
  it("report an event that was left to the browser as well", () => {
    const queue = createQueueOf([1, 1_000_000, DAY]);
    queue.append("tab", body("a"), "");
    queue.leave(true, kept(...queue.rows.keys()));
    queue.append("tab", body("b"), "");
    expect(reported()).toEqual(["a"]);
  });
});

describe("events that lack their contact", () => {
  it("are 100 at most, and neither push out nor are pushed out by the others", () => {
    const queue = createQueueOf([2, 1_000_000, 7 * DAY]);
    queue.append("tab", body("first"), "");
    for (let index = 0; index < 103; index++) queue.append("tab", body(`u${index}`), "0");
    queue.append("tab", body("second"), "");
    expect(names(queue).length).toBe(102);
    expect(names(queue)).toContain("first");
    expect(names(queue)).not.toContain("u2");
    expect(names(queue)).toContain("u3");
    queue.append("tab", body("third"), "");
    expect(names(queue)).not.toContain("first");
    expect(names(queue)).toContain("u3");
  });
  it("push out no others by their size", () => {
    const queue = createQueueOf([1_000, 1_000, DAY]);
    queue.append("tab", body("first"), "");
    for (let index = 0; index < 5; index++) queue.append("tab", body(`u${index}`, "x".repeat(800)), "0");
    expect(names(queue)).toEqual(["first", "u0", "u1", "u2", "u3", "u4"]);
    for (const key of [...queue.rows.keys()].slice(1)) queue.deliver(key);
    queue.append("tab", body("second", "x".repeat(800)), "");
    expect(reports).toEqual([]);
  });
  it("are reported once a page", () => {
    const queue = createQueueOf();
    for (let index = 0; index < 110; index++) queue.append("tab", body(`u${index}`), "0");
    expect(reports).toEqual([{ code: "evicted", detail: "identify", body: body("u0") }]);
    expect(queue.tally.dropped).toBe(10);
  });
});

describe("a page that is left", () => {
  it.each<[string, boolean]>([
    ["that hands off what is under way", true],
    ["that hands off nothing", false],
  ])("%s stores again what was emptied out of the storage", (_, handsOff) => {
    const queue = createQueueOf();
    for (const name of ["a", "b", "c"]) queue.append("tab", body(name), "");
    const before = { ...fake.rows };
    const [first] = Object.keys(fake.rows);
    empty(fake);
    queue.leave(handsOff, kept(keyOf(queue, "a")));
    expect(fake.rows).toEqual(handsOff ? { ...before, [first!]: HANDED_OFF + body("a") } : before);
  });
  it("leaves the rows alone that are still there", () => {
    const queue = createQueueOf();
    queue.append("tab", body("a"), "");
    queue.leave(true, kept(keyOf(queue, "a")));
    const before = { ...fake.rows };
    queue.leave(false, kept());
    expect(fake.rows).toEqual(before);
  });
});

describe("adoption", () => {
  const dead = (...appended: string[]): void => {
    const queue = createQueueOf();
    for (const name of appended) queue.append("dead", body(name), "");
  };
  it("takes what the other has queued, in its order, in front of what is here", () => {
    dead("a", "b", "c");
    const queue = createQueueOf();
    queue.append("mine", body("d"), "");
    queue.load("dead");
    expect(names(queue)).toEqual(["a", "b", "c", "d"]);
    expect(storedNames().toSorted()).toEqual(["a", "b", "c", "d"]);
  });
  it("changes no row", () => {
    dead("a", "b");
    const before = { ...fake.rows };
    createQueueOf().load("dead");
    expect(fake.rows).toEqual(before);
  });
  it("leaves the rows of others alone", () => {
    dead("a");
    createQueueOf().append("alive", body("b"), "");
    const queue = createQueueOf();
    queue.load("dead");
    expect(names(queue)).toEqual(["a"]);
    expect(storedNames().toSorted()).toEqual(["a", "b"]);
  });
  it("keeps the time, the missing contact and the mark of what was left to the browser", () => {
    const before = createQueueOf();
    before.append("dead", body("old"), "4");
    before.append("dead", body("handed"), "");
    before.leave(true, kept(keyOf(before, "handed")));
    now += 12 * 3_600_000;
    const queue = createQueueOf();
    queue.load("dead");
    expect([...queue.rows.values()]).toEqual([body("old"), body("handed")]);
    expect([...queue.handedOff]).toEqual([keyOf(queue, "handed")]);
    expect([...queue.rows.keys()].map((key) => key.split(":").slice(3))).toEqual([
      [`${START}`, "4"],
      [`${START}`, ""],
    ]);
  });
  it("keeps every event durable although the storage is full", () => {
    dead("a", "b");
    fill(fake);
    const queue = createQueueOf();
    queue.load("dead");
    expect(names(queue)).toEqual(["a", "b"]);
    expect(Object.values(fake.rows).map(eventName)).toEqual(["a", "b"]);
  });
  it.each([
    ["no JSON", "{"],
    ["empty", ""],
    ["cut short", body("a").slice(0, -2)],
    ["a number", "5"],
    ["null", "null"],
    ["an array", "[]"],
    ["no params", '{"event_uid":"a"}'],
    ["null params", '{"event_uid":"a","params":null}'],
    ["a mark alone", HANDED_OFF],
  ])("removes a row that is %s, and goes on", (_, text) => {
    dead("a", "c");
    fake.rows["t:event:dead:1000000:5:"] = text;
    const queue = createQueueOf();
    queue.load("dead");
    expect(names(queue).at(-1)).toBe("c");
    expect(Object.values(fake.rows)).not.toContain(text);
  });
  it.each(["t:event:dead", "t:event:dead:", "t:event:dead:x:y", "t:event:dead:1:2:3:4:5"])(
    "survives the key %s",
    (key) => {
      dead("a");
      fake.rows[key] = "garbage";
      const queue = createQueueOf();
      queue.load("dead");
      expect(names(queue)).toEqual(["a"]);
      expect(fake.rows[key]).toBeUndefined();
    },
  );
});

describe("what was handed off", () => {
  it("is taken back when the service fails, also for whoever comes next", () => {
    const queue = createQueueOf();
    for (const name of ["a", "b"]) queue.append("tab", body(name), "");
    queue.leave(true, kept(keyOf(queue, "a")));
    expect(Object.values(fake.rows)).toEqual([HANDED_OFF + body("a"), body("b")]);
    queue.retract();
    expect(Object.values(fake.rows)).toEqual([body("a"), body("b")]);
    expect(queue.handedOff.size).toBe(0);
  });
  it("is forgotten with its event", () => {
    const queue = createQueueOf();
    queue.append("tab", body("a"), "");
    queue.leave(true, kept(...queue.rows.keys()));
    queue.deliver(keyOf(queue, "a"));
    queue.retract();
    expect(fake.rows).toEqual({});
  });
});

describe("events that are released", () => {
  it("stay stored, of one tab or of all", () => {
    const queue = createQueueOf();
    for (const tab of ["mine", "dead"]) queue.append(tab, body(tab), "");
    queue.release("dead");
    expect(names(queue)).toEqual(["mine"]);
    queue.release();
    expect(names(queue)).toEqual([]);
    expect(storedNames()).toEqual(["dead", "mine"]);
  });
});

it("goes on in memory where nothing can be stored", () => {
  fake.isDenied = true;
  const queue = createQueueOf([2, 1_000_000, DAY]);
  for (const name of ["a", "b", "c"]) queue.append("tab", body(name), "");
  expect(names(queue)).toEqual(["b", "c"]);
  expect(reported()).toEqual(["a"]);
  queue.deliver(keyOf(queue, "b"));
  expect(names(queue)).toEqual(["c"]);
});
