/** Which names have a line of their own in the chart of the live page, and which are "1 more". */
import { expect, it } from "vitest";
import { createCounts } from "../../../src/pages/arrivals.js";

it.each([
  ["seconds", ["new"]],
  ["minutes", ["a", "b", "c", "d", "e", "f", "g", "h", "1 more"]],
] as const)(
  "With more names in an hour than colours, those that came most have their own among %s: %s",
  (scale, names) => {
    const [counts, now] = [createCounts(), Date.now()];
    const arrive = (event_uid: string, received_at: number) =>
      counts.add({ event_uid, received_at, occurred_at: received_at });
    for (const name of "abcdefghabcdefgh") arrive(name, now - 600_000);
    arrive("new", now);
    const { arrived, happened } = counts.series(scale);
    expect(arrived.map(({ label }) => label)).toEqual(names);
    expect(happened).toEqual(arrived);
    expect(new Set(arrived.map(({ colour }) => colour)).size).toBe(names.length);
    expect(arrived.at(-1)!.total).toBe(1);
  },
);
