/** What becomes of an event whose request was in flight when its page was left: until when, and by what, it is judged. */
import { expect, it } from "vitest";
import { inWorld, type Page, type World } from "../../../simulation/world.js";
import { acceptAll, answerBy, MINUTE, track, trackAndLeave } from "../../../support/verbs.js";

const HANDED_OFF_FOR = 30_000;
/** An event that was handed off half a minute ago, by a tab that is no more. */
const leaveMark = (world: World): number => {
  const mark = world.clock.wall() - HANDED_OFF_FOR;
  world.storage.rows[`tracklet:event:dead:1000000:${mark}`] =
    `!${mark}{"contact_uid":"ann","event_uid":"a","params":{}}`;
  return mark;
};
/** A page that has taken over what another one has just handed off; nobody answers. */
const afterExit = async (world: World): Promise<Page> => {
  const page = await world.open();
  await page.track("a", { text: "with a blank " });
  await trackAndLeave(page);
  const next = await world.open();
  await world.clock.advance(15_000);
  return next;
};

it("is sent again only where the service went down within 20 s, as two events have shown", async () => {
  const sent: string[] = [];
  for (const [culprit, downAfter] of [
    ["", -5_000],
    ["", 19_999],
    ["", 20_000],
    ["?", 0],
    ["told", 0],
    ["event:x:1:1", 0],
    ["?event:x:1:1", 0],
  ] as const)
    await inWorld(async (world) => {
      const mark = leaveMark(world);
      world.storage.rows["tracklet:backoff"] = `${world.clock.wall()},5000,3,${culprit},${mark + downAfter}`;
      acceptAll(world);
      await world.open();
      await world.clock.advance(MINUTE);
      if (world.names().length) sent.push(`${culprit} ${downAfter}`);
      expect(world.stored()).toEqual([]);
    });
  expect(sent).toEqual([" -5000", " 19999", "? 0"]);
});

it("is sent again also where another page is just asking a service that went down", () =>
  inWorld(async (world) => {
    const page = await world.open();
    const now = world.clock.wall();
    world.storage.rows["tracklet:backoff"] = `${now - MINUTE},1000,3,,${now - HANDED_OFF_FOR}`;
    await page.track("b");
    await world.clock.advance(200);
    leaveMark(world);
    await world.open();
    await world.clock.advance(2_000);
    acceptAll(world);
    await world.sent[0]!.answer(200);
    await world.clock.advance(MINUTE);
    expect(world.names()).toEqual(["b", "a"]);
  }));

it("waits for the requests that may still show that the service went down", () =>
  inWorld(async (world) => {
    await track(await afterExit(world), "b", "c");
    await world.clock.advance(10_000);
    expect(world.stored().toSorted()).toEqual(["a", "b", "c"]);
    acceptAll(world);
    await world.clock.advance(MINUTE);
    expect(world.names().toSorted()).toEqual(["a", "a", "b", "b", "c", "c"]);
  }));

it("counts as stored once another page's event, which had failed, is accepted", () =>
  inWorld(async (world) => {
    await afterExit(world);
    const other = await world.open();
    answerBy(world, () => (world.sent.length === 2 ? 503 : 200));
    await other.track("b");
    await world.clock.advance(4_000);
    expect([world.names(), world.stored()]).toEqual([["a", "b", "b"], []]);
  }));

it("is not judged by an acceptance that comes too late for it", () =>
  inWorld(async (world) => {
    const next = await afterExit(world);
    await next.track("b");
    await world.clock.advance(6_000);
    acceptAll(world);
    await next.track("c");
    await world.clock.advance(1_000);
    expect(world.stored().toSorted()).toEqual(["a", "b"]);
    await world.sent.find(({ name }) => name === "b")!.answer(200);
    expect([world.names(), world.stored()]).toEqual([["a", "b", "c"], []]);
  }));

it("does not wait for requests that began too late to judge it", () =>
  inWorld(async (world) => {
    leaveMark(world);
    await (await world.open()).track("b");
    await world.clock.advance(2_000);
    expect([world.names(), world.stored()]).toEqual([["b"], ["b"]]);
  }));
