/** Which of several waiting events goes first, and what lies in the storage without an owner. */
import { expect, it } from "vitest";
import { inWorld } from "../../../simulation/world.js";
import { acceptAll, anonymous, answerBy, leaveBehind, MINUTE, numbered, rowsOf } from "../../../support/verbs.js";

const DAY = 24 * 60 * MINUTE;

it("the page's own events go after what it has adopted before, but first in an outage", async () => {
  for (const [status, next] of [
    [200, "e5"],
    [503, "own"],
  ] as const)
    await inWorld(async (world) => {
      leaveBehind(world, numbered(6));
      const page = await world.open();
      await world.clock.advance(1_000);
      await page.track("own");
      for (const sent of world.openRequests()) await sent.answer(status);
      acceptAll(world);
      await world.clock.advance(MINUTE);
      expect(world.names().slice(0, 5)).toEqual([...numbered(4), next]);
    });
});

it("an event that alone has failed, as a page before has found, comes after the others", () =>
  inWorld(async (world) => {
    leaveBehind(world, ["bad", "good"]);
    const [culprit] = rowsOf(world, "event:dead").map((key) => key.slice("tracklet:".length));
    const now = world.clock.wall();
    world.storage.rows[`tracklet:${culprit}`] += " ";
    world.storage.rows["tracklet:backoff"] = `${now},300000,9,${culprit},${now}`;
    answerBy(world, ({ name }) => (name === "bad" ? 503 : 200));
    await world.open();
    await world.clock.advance(2_000);
    expect(world.names().slice(0, 2)).toEqual(["good", "bad"]);
  }));

it("what nobody was named for is adopted once somebody is, and goes after a day", async () => {
  for (const [config, age, contact, sent, stored] of [
    [anonymous, MINUTE, "", [], ["a"]],
    [anonymous, DAY + 1, "", [], []],
    [anonymous, MINUTE, undefined, ["a"], []],
    [{}, MINUTE, "", ["a"], []],
  ] as const)
    await inWorld(async (world) => {
      leaveBehind(world, ["a"], { age, contact });
      acceptAll(world);
      await world.open(config);
      await world.clock.advance(MINUTE);
      expect([age, world.names(), world.stored(), rowsOf(world, "adopter")]).toEqual([age, sent, stored, []]);
    });
});

it("leases that are a day old, or of tabs that were left with nothing, are removed", () =>
  inWorld(async (world) => {
    const now = world.clock.wall();
    const leases = { old: now - DAY, young: now - DAY + MINUTE, left: 0, wrong: "x" };
    for (const [tab, time] of Object.entries(leases)) world.storage.rows[`tracklet:tab:${tab}`] = `${time}`;
    world.storage.rows["tracklet:tab:dead"] = "0";
    leaveBehind(world, ["a"], { contact: "" });
    await world.open(anonymous);
    await world.clock.advance(100);
    expect(rowsOf(world, "tab").toSorted()).toEqual(["tracklet:tab:dead", "tracklet:tab:young"]);
  }));
