import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type BackOff, createBackOff } from "../../../../src/browser/delivery/backoff.js";
import { createStore } from "../../../../src/browser/state/storage.js";
import { createArea, type FakeArea, fill } from "../../../simulation/area.js";

const START = 1_700_000_000_000;
let now: number;
let random: number;
let fake: FakeArea;
let backOff: BackOff;

/** The back-off as another tab or a later page has it; the random part of its wait is fixed when it is made. */
const another = (luck = 0): BackOff => {
  const before = random;
  random = luck;
  const made = createBackOff(createStore("t:", fake.area));
  random = before;
  return made;
};

/** A request that began now and fails. */
const fail = (retryAfter = 0, by = backOff): void => by.fail(by.state(), retryAfter);

beforeEach(() => {
  now = START;
  random = 1;
  vi.spyOn(Date, "now").mockImplementation(() => now);
  vi.spyOn(Math, "random").mockImplementation(() => random);
  fake = createArea();
  backOff = another();
});

afterEach(() => vi.restoreAllMocks());

it("is no obstacle while the service is healthy", () => {
  expect(backOff.state()).toBe("");
  expect(backOff.wait()).toBe(0);
});

describe("failures", () => {
  it("double the wait from 1 s up to 5 min, with full jitter", () => {
    const waits: number[] = [];
    for (let failure = 0; failure < 11; failure++) {
      fail();
      waits.push(backOff.wait());
      now += backOff.wait();
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300].map((seconds) => seconds * 1_000));
    random = 0.25;
    fail();
    expect(backOff.wait()).toBe(75_000);
    random = 0;
    now += 75_000;
    fail();
    expect(backOff.wait()).toBe(0);
    expect(backOff.state()).not.toBe("");
  });
  it("that happen together count once", () => {
    const seen = backOff.state();
    for (let request = 0; request < 4; request++) backOff.fail(seen, 0);
    expect(backOff.wait()).toBe(1_000);
    now += 1_000;
    fail();
    expect(backOff.wait()).toBe(2_000);
  });
  it("are known to all tabs and to later pages", () => {
    fail();
    expect(another().wait()).toBe(1_000);
    now += 1_000;
    fail(0, another());
    expect(backOff.wait()).toBe(2_000);
  });
  it("are forgotten once the service is healthy", () => {
    fail();
    another().clear();
    expect(backOff.state()).toBe("");
    fail();
    expect(backOff.wait()).toBe(1_000);
  });
});

describe("Retry-After", () => {
  it("holds in full, whatever the jitter says", () => {
    random = 0;
    fail(7_000);
    expect(backOff.wait()).toBe(7_000);
    expect(another().wait(true)).toBe(7_000);
  });
  it.each([1_000, 14_000, 20_000])("of %i ms that answers a probe holds as well", (retryAfter) => {
    fail();
    now += 1_000;
    backOff.claim();
    random = 0;
    fail(retryAfter);
    expect(backOff.wait()).toBe(retryAfter);
    expect(another().wait(true)).toBe(retryAfter);
  });
  it("is not shortened by a reason to hurry", () => {
    fail(60_000);
    now += 30_000;
    expect(backOff.wait(true)).toBe(30_000);
  });
  it("is not shortened by an event that is accepted meanwhile", () => {
    fail(60_000);
    backOff.clear();
    expect(backOff.wait(true)).toBe(60_000);
    now += 60_000;
    backOff.clear();
    expect(backOff.state()).toBe("");
  });
  it("is not shortened by failures that follow, with or without one of their own", () => {
    const seen = backOff.state();
    backOff.fail(seen, 60_000);
    backOff.fail(seen, 0);
    backOff.fail(seen, 5_000);
    expect(backOff.wait(true)).toBe(60_000);
  });
  it("is lengthened by a longer one", () => {
    const seen = backOff.state();
    backOff.fail(seen, 5_000);
    backOff.fail(seen, 60_000);
    expect(backOff.wait(true)).toBe(60_000);
  });
  it("is not shortened by a pause", () => {
    fail(60_000);
    backOff.pause(300_000);
    expect(backOff.wait(true)).toBeGreaterThanOrEqual(60_000);
  });
  it("that is shorter than the back-off in force leaves that alone", () => {
    for (let failure = 0; failure < 6; failure++) {
      now += backOff.wait();
      fail();
    }
    backOff.fail("", 2_000);
    expect(backOff.wait()).toBe(32_000);
  });
});

describe("a reason to hurry", () => {
  it("waits 8 s at most, once for all tabs", () => {
    random = 1;
    for (let failure = 0; failure < 8; failure++) {
      now += backOff.wait();
      fail();
    }
    expect(backOff.wait()).toBe(128_000);
    expect(backOff.wait(true)).toBe(8_000);
    now += 8_000;
    expect(backOff.wait(true)).toBe(0);
    backOff.claim();
    expect(another().wait(true)).toBe(8_000);
    expect(another().wait()).toBe(15_000);
  });
});

describe("a probe", () => {
  it("keeps the count of failures", () => {
    for (let failure = 0; failure < 3; failure++) {
      now += backOff.wait();
      fail();
    }
    now += backOff.wait();
    backOff.claim();
    fail();
    expect(backOff.wait()).toBe(8_000);
  });
  it("whose tab is gone frees the way after 15 s", () => {
    fail();
    now += 1_000;
    backOff.claim();
    now += 14_999;
    expect(another().wait()).toBe(1);
    now += 1;
    expect(another().wait()).toBe(0);
  });
});

it("lets tabs come one after the other: each waits up to a second longer, and none less", () => {
  fail();
  const waits = [0, 0.25, 0.5, 1].map((luck) => another(luck).wait());
  expect(waits).toEqual([1_000, 1_250, 1_500, 2_000]);
});

it("records a longer Retry-After although the one who hears of it waits longer anyway", () => {
  const patient = another(1);
  patient.fail("", 5_000);
  now += 500;
  patient.fail("", 5_000);
  expect(another(0).wait(true)).toBe(5_000);
});

describe("the clock", () => {
  it("set back stalls nothing", () => {
    fail(60_000);
    now -= 1;
    expect(backOff.wait()).toBe(0);
    now -= 86_400_000;
    expect(backOff.wait()).toBe(0);
  });
  it("set ahead ends the wait", () => {
    fail(60_000);
    now += 86_400_000;
    expect(backOff.wait()).toBe(0);
  });
});

describe("a row that something else wrote", () => {
  it.each([
    "",
    "x",
    "{}",
    "[1,2]",
    ",,,",
    "NaN,NaN,NaN,NaN",
    "Infinity,Infinity,Infinity,1",
    "-Infinity,Infinity,-Infinity,1",
    "1e999,1,1,1",
    `${START},1e12,1e12,1`,
    `${START},-1,-1,0`,
    `${START},1e999`,
    `${START}`,
  ])("%j never stalls for more than an hour", (row) => {
    fake.rows["t:backoff"] = row;
    for (const isUrgent of [true, false]) {
      expect(backOff.wait(isUrgent)).toBeGreaterThanOrEqual(0);
      expect(backOff.wait(isUrgent)).toBeLessThanOrEqual(3_600_000);
    }
    now += 3_600_000;
    expect(backOff.wait()).toBe(0);
    backOff.claim();
    expect(backOff.wait()).toBe(15_000);
    fail();
    expect(backOff.wait()).toBeGreaterThanOrEqual(0);
    expect(backOff.wait()).toBeLessThanOrEqual(300_000);
    backOff.clear();
    expect(backOff.state()).toBe("");
  });
});

describe("without storage", () => {
  it("still waits when it is denied", () => {
    fake.isDenied = true;
    fail();
    expect(backOff.wait()).toBe(1_000);
  });
  it("still waits when it fills up after a first failure", () => {
    random = 0.001;
    fail();
    fill(fake);
    now += 10;
    random = 1;
    fail(1_234_567);
    expect(backOff.wait()).toBe(1_234_567);
  });
});
