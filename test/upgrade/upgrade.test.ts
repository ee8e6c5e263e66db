import { expect, it } from "vitest";
import { readStored } from "../service/attack/scene.js";
import { upgrade } from "../service/attack/upgrade.js";

/** More than a start changes the tables of. `npm run attack -- upgrade` takes a million. */
const EVENTS = 100_500;

it("changes the tables under load, to the next release and back, and no event is lost, stored twice or answered 5xx", async () => {
  const { scene, traffic, note, isWrong } = await upgrade(EVENTS);
  expect(isWrong, note).toBe(false);
  const stored = await readStored(scene);
  expect(new Set(stored).size).toBe(stored.length);
  expect(new Set(stored)).toEqual(traffic.acknowledged);
  // Those that were under way to the one that was killed.
  expect([...traffic.others.keys()].filter((answer) => answer !== "none")).toEqual([]);
  await scene.close();
}, 600_000);
