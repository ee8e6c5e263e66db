import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createCounter, createQuota, networkOf } from "../../../src/service/access/limits.js";
import { createLogLimit } from "../../../src/service/http/error-answers.js";
import { useService } from "../support/fixtures.js";
import { API_TOKEN, basic } from "../support/service.js";

const HOUR_MS = 3_600_000;
const KILOBYTES = 1_000;

/** Events of 100 kB from an address until one is refused, or `most` were taken. */
const fill = ({ spend }: ReturnType<typeof createQuota>, address: string | undefined, most = 1_000) => {
  let taken = 0;
  try {
    for (; taken < most; taken += 1) spend({ address, workspace: "shop", points: 100 * KILOBYTES });
  } catch (error) {
    const { message, headers } = error as { message: string; headers: Record<string, string> };
    return { taken, message, seconds: Number(headers["retry-after"]) };
  }
  return { taken };
};

beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
afterEach(() => void vi.useRealTimers());

it("keeps little of what a proxy says and is no address, and takes a socket that is gone for one of nobody", () => {
  expect(networkOf(undefined)).toBe("");
  expect(networkOf("x".repeat(10_000))).toBe("x".repeat(64));
});

it("bounds the day of an address, and of the networks of 56 and 48 bits that it is in", () => {
  const spend = createQuota({ addressQuota: 1, tokenQuota: 0 });
  expect(fill(spend, "2001:db8:0:1::1")).toMatchObject({
    taken: 10,
    message: expect.stringMatching(/^the 1 MB .+address/),
  });
  expect(fill(spend, "2001:db8:0:1:ffff::2").taken).toBe(0);
  for (const last of ["2", "3", "4"]) expect(fill(spend, `2001:db8:0:${last}::1`).taken).toBe(10);
  expect(fill(spend, "2001:db8:0:ff::1")).toMatchObject({
    taken: 0,
    message: expect.stringMatching(/^the 4 MB .+56 bits/),
  });
  for (let network = 1; network < 4; network += 1)
    for (let last = 0; last < 4; last += 1) expect(fill(spend, `2001:db8:0:${network}0${last}::1`).taken).toBe(10);
  expect(fill(spend, "2001:db8:0:ffff::1")).toMatchObject({
    taken: 0,
    message: expect.stringMatching(/^the 16 MB .+48 bits/),
    seconds: 86_400,
  });
  expect(fill(spend, "2001:db8:1::1").taken).toBe(10);
  for (const address of ["192.0.2.1", "192.0.2.2"]) expect(fill(spend, address).taken).toBe(10);
  vi.advanceTimersByTime(24 * HOUR_MS);
  expect(fill(spend, "2001:db8:0:1::1").taken).toBe(10);
});

it("gives a workspace its day by the hour, with what former hours have left, and refuses no address that has sent little", () => {
  const spend = createQuota({ addressQuota: 100, tokenQuota: 26.7 });
  vi.advanceTimersByTime(HOUR_MS / 2);
  expect(fill(spend, "192.0.2.1")).toMatchObject({
    taken: 10,
    message: expect.stringMatching(/this hour/),
    seconds: 1_800,
  });
  // 1 % of the 100 MB of an address.
  expect(fill(spend, "192.0.2.2")).toMatchObject({ taken: 10 });
  expect(fill(spend, "2001:db8:0:1::1")).toMatchObject({ taken: 10 });
  expect(fill(spend, "2001:db8:0:2::1")).toMatchObject({ taken: 0 });
  // Who has more than that waits until an hour has brought what is owed.
  vi.advanceTimersByTime(3 * HOUR_MS);
  expect(fill(spend, "192.0.2.1")).toMatchObject({ taken: 10 });
  vi.advanceTimersByTime(240 * HOUR_MS);
  expect(fill(spend, "192.0.2.1")).toMatchObject({ taken: 240 });
});

it("keeps a tenth of the hour for servers, which may use the rest, too, and counts what is refused for its address", () => {
  const spend = createQuota({ addressQuota: 0.5, tokenQuota: 24 });
  spend.waste("192.0.2.1", 400 * KILOBYTES);
  expect(fill(spend, "192.0.2.1").taken).toBe(1);
  // Each is too large for one that is taken in any case.
  for (const last of [2, 3, 4]) fill(spend, `192.0.2.${last}`);
  expect(fill(spend, "192.0.2.5").taken).toBe(0);
  expect(fill(spend, undefined).taken).toBe(1);
  vi.advanceTimersByTime(HOUR_MS);
  expect(fill(spend, undefined).taken).toBe(10);
});

it("counts the events of a server, and what is given back, as little as it may", () => {
  const spend = createQuota({ addressQuota: 1, tokenQuota: 24 * 5 });
  expect(fill(spend, undefined)).toMatchObject({ taken: 50, message: expect.stringMatching(/this hour/) });
  vi.advanceTimersByTime(HOUR_MS);
  for (let number = 0; number < 100; number += 1)
    spend.spend({ address: undefined, workspace: "shop", points: 100 * KILOBYTES })(100 * KILOBYTES);
  expect(fill(spend, undefined)).toMatchObject({ taken: 50 });
});

it("counts in bounded memory: small counts go, and a key that comes anew begins at the largest of them", () => {
  const counter = createCounter({ points: 100, windowMs: 1_000, maxKeys: 1_000 });
  counter.add("large", 90);
  for (let key = 0; key < 20_000; key += 1) counter.add(`small-${key}`, 1);
  expect([counter.used("large"), counter.wait("large", 11)]).toEqual([90, 1_000]);
  const used = counter.used("new");
  expect(used).toBeGreaterThan(0);
  // No more than all that was counted, shared among half of the keys.
  expect(used).toBeLessThanOrEqual(20_090 / 500);
  expect(counter.used("small-0")).toBe(used);
});

it("tells at once of the first of a key, and of the others together, once in a time", () => {
  const told = createLogLimit(60_000);
  expect([told("a"), told("a"), told("b"), told("a")]).toEqual([1, undefined, 1, undefined]);
  vi.advanceTimersByTime(59_999);
  expect(told("a")).toBeUndefined();
  vi.advanceTimersByTime(1);
  expect([told("a"), told("a"), told("b")]).toEqual([4, undefined, 1]);
});

const service = useService({
  trustProxy: ["loopback"],
  publicUrl: "https://track.example.com",
  addressQuota: 2,
  tokenQuota: 24,
  serverToken: "server-token",
});

it("counts a repeat for its address alone, and what a server sends for its workspace alone", async () => {
  const send = async (from: string, stamp: string | undefined, token = API_TOKEN): Promise<number> => {
    const params = { event_id: stamp, x: "ä".repeat(50_000) };
    const event = { contact_uid: "a", event_uid: "b", params };
    return (await service.post(event, { "x-forwarded-for": from, ...basic(`${token}:`) }, "")).status;
  };
  const send10 = async (...args: Parameters<typeof send>) => {
    const statuses = [];
    for (let number = 0; number < 10; number += 1) statuses.push(await send(...args));
    return statuses.filter((status) => status === 200).length;
  };
  // An hour is 1 MB, 9 events; of which one is used now.
  expect([await send10("192.0.2.1", "same"), await send10("192.0.2.1", "same")]).toEqual([10, 9]);
  expect(await send("192.0.2.2", undefined)).toBe(200);
  expect(await send10("192.0.2.3", undefined, "server-token")).toBe(6);
  expect(await send("192.0.2.2", undefined)).toBe(429);
  const small = { contact_uid: "a", event_uid: "b" };
  expect((await service.post(small, { "x-forwarded-for": "192.0.2.4" })).status).toBe(200);
});
