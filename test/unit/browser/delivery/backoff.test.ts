/** When a service that fails is asked again. */
import { describe, expect, it } from "vitest";
import { fill } from "../../../simulation/area.js";
import { dice, inWorld, type Page, type World } from "../../../simulation/world.js";
import { acceptAll, MINUTE, track, until } from "../../../support/verbs.js";

const HOUR = 60 * MINUTE;
const ROW = "tracklet:backoff";
/** Answers at once; one value in place of a rule is the status of all. */
const answerBy = (world: World, rule: (count: number) => [status: number, retryAfter?: number]): void => {
  world.onRequest = (sent) => {
    const answer = rule(world.sent.length);
    world.clock.add(0, () => sent.answer(...answer));
  };
};
/** What the stored state says of who has failed. */
const culprit = (world: World): string => world.storage.rows[ROW]!.split(",")[3]!;
/** Seconds between requests, each with the second by which tabs are spread, rounded. */
const gaps = (world: World): number[] =>
  world.sent.slice(1).map(({ beganAt }, index) => Math.round((beganAt - world.sent[index]!.beganAt) / 1_000));
/** A page whose event meets these answers, with the most patient dice, or others. */
const inPage = (test: (page: Page, world: World) => Promise<unknown>, random = () => 1): Promise<void> =>
  inWorld(async (world) => {
    const page = await world.open();
    // Its first round is over, so that nothing is urgent any more.
    answerBy(world, () => [200]);
    await page.track("first");
    await world.clock.advance(MINUTE);
    world.sent.splice(0);
    await test(page, world);
  }, random);

/** An event that has failed once; from then on nothing is answered. */
const failThenHang = async (page: Page, world: World): Promise<void> => {
  answerBy(world, () => [503]);
  await page.track("a");
  await world.clock.advance(20);
  world.onRequest = () => {};
};

describe("failures", () => {
  it("double the wait from 1 s up to 5 min", () =>
    inPage(async (page, world) => {
      answerBy(world, () => [503]);
      await page.track("a");
      await world.clock.advance(HOUR);
      // One blank tells that it has failed, however often.
      expect(Object.values(world.storage.rows)).toContain(`${world.sent[0]!.body} `);
      expect(gaps(world).slice(0, 11)).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300].map((wait) => wait + 1));
    }));
  it("are 2 s apart at most for half a minute after a success, each with its second", () =>
    inWorld(
      async (world) => {
        const page = await world.open();
        answerBy(world, (count) => (count === 1 ? [200] : [503]));
        await track(page, "a", "b");
        await world.clock.advance(10 * MINUTE);
        expect(gaps(world).slice(1, 13)).toEqual([3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 301]);
      },
      () => 1,
    ));
  it("have full jitter", () =>
    inPage(
      async (page, world) => {
        answerBy(world, () => [503]);
        await page.track("a");
        await world.clock.advance(10 * MINUTE);
        expect(gaps(world).slice(0, 5)).toEqual([0.25, 0.5, 1, 2, 4].map((wait) => Math.round(wait + 0.25)));
      },
      () => 0.25,
    ));
  it("that happen together count once", () =>
    inPage(async (page, world) => {
      answerBy(world, (count) => (count <= 4 ? [503] : [200]));
      for (const name of ["a", "b", "c", "d"]) await page.track(name);
      await world.clock.advance(20);
      expect(world.storage.rows[ROW]!.split(",")[1]).toBe("1000");
    }));
  it("are forgotten once the service is healthy", () =>
    inPage(async (page, world) => {
      answerBy(world, (count) => (count <= 3 ? [503] : [200]));
      await page.track("a");
      await world.clock.advance(MINUTE);
      expect([world.stored(), world.storage.rows[ROW]]).toEqual([[], undefined]);
    }));
  it("are known to later pages", () =>
    inPage(async (page, world) => {
      answerBy(world, () => [503]);
      await page.track("a");
      await world.clock.advance(20 * MINUTE);
      page.kill();
      world.sent.splice(0);
      await world.open();
      await world.clock.advance(6 * MINUTE);
      // The page load brings one request forward.
      expect(world.sent.length).toBeLessThanOrEqual(3);
    }, dice(5)));
});

describe("Retry-After", () => {
  it("holds in full, whatever the jitter says", () =>
    inPage(
      async (page, world) => {
        answerBy(world, (count) => (count === 1 ? [503, 7] : [200]));
        await page.track("a");
        await world.clock.advance(MINUTE);
        expect(gaps(world)).toEqual([7]);
      },
      () => 0,
    ));
  it.each<[string, [number, number?][], number]>([
    ["by one that is accepted meanwhile", [[503, 60], [200]], 60],
    ["by a failure with none of its own", [[503, 60], [500]], 60],
    [
      "by a shorter one",
      [
        [503, 60],
        [503, 5],
      ],
      60,
    ],
    [
      "except by a longer one",
      [
        [503, 5],
        [503, 60],
      ],
      60,
    ],
    [
      "except by one that is longer by a second",
      [
        [503, 5],
        [503, 6],
      ],
      6,
    ],
    ["by being online after a failure of another kind", [[500], [503, 60]], 60],
    ["by the pause for a refusal", [[503, 600], [401]], 600],
    ["by a longer pause for a refusal", [[503, 60], [401]], 60],
  ])("of one of several requests is not changed %s", (_, answers, seconds) =>
    inPage(async (page, world) => {
      answerBy(world, (count) => answers[count - 1] ?? [200]);
      await page.track("a");
      await page.track("b");
      await world.clock.advance(20);
      expect(world.sent.length).toBe(2);
      await page.online();
      // This tab's second comes on top.
      await world.clock.advance(seconds * 1_000 + 900);
      expect(world.sent.length).toBe(2);
      await world.clock.advance(MINUTE);
      expect([world.sent.length > 2, world.stored()]).toEqual([true, []]);
    }),
  );
  it("of a day holds for an hour", () =>
    inPage(async (page, world) => {
      answerBy(world, (count) => (count === 1 ? [503, 86_400] : [200]));
      await page.track("a");
      await world.clock.advance(HOUR - 1_000);
      expect(world.sent.length).toBe(1);
      await world.clock.advance(MINUTE);
      expect(world.stored()).toEqual([]);
    }));
});

it("one other event shows whether the service or the event that has failed is at fault, and no retry of that one", () =>
  inPage(async (page, world) => {
    await failThenHang(page, world);
    await world.clock.advance(3_000);
    await track(page, "b", "c");
    await world.clock.advance(9_000);
    expect(world.names()).toEqual(["a", "a", "b"]);
  }));

it("the one event fails again while another one is tried: it alone has failed still", () =>
  inPage(async (page, world) => {
    await failThenHang(page, world);
    await until(world, () => world.openRequests().length, 100);
    await page.track("b");
    await until(world, () => world.openRequests().length === 2, 100);
    await world.openRequests()[0]!.answer(503);
    await world.clock.advance(100);
    expect(culprit(world)).toMatch(/^\?event:/);
  }));

it("the second of two probes tells no more than the first", () =>
  inWorld(async (world) => {
    const now = world.clock.wall();
    world.storage.rows[ROW] = `${now - 10_000},15000,2,?,${now - 60_000}`;
    const page = await world.open();
    await page.track("a");
    await until(world, () => world.openRequests().length, 100);
    expect(culprit(world)).toBe("?");
  }, dice(5)));

it("a probe whose tab is gone frees the way after 15 s", () =>
  inPage(async (page, world) => {
    await failThenHang(page, world);
    await until(world, () => world.openRequests().length, 100);
    page.kill();
    acceptAll(world);
    await world.open();
    await world.clock.advance(30_000);
    expect(world.stored()).toEqual([]);
  }, dice(5)));

it("a clock that is set back or ahead ends the wait", async () => {
  for (const jump of [-86_400_000, 86_400_000])
    await inPage(async (page, world) => {
      answerBy(world, (count) => (count === 1 ? [503, 3_600] : [200]));
      await page.track("a");
      await world.clock.advance(1_000);
      world.clock.jump(jump);
      await world.clock.advance(MINUTE);
      expect([jump, world.stored()]).toEqual([jump, []]);
    }, dice(5));
});

it("a row that something else wrote never stalls for more than an hour", async () => {
  const wrong: string[] = [];
  const now = 1_700_000_000_000;
  const rows = ["", "x", "{}", "[1,2]", ",,,", "NaN,NaN,NaN,NaN", "Infinity,Infinity,Infinity,1", "1e999,1,1,1"];
  rows.push(`${now},1e12,1e12,1`, `${now},1e12,1e12,told`, `${now},-1,-1,0`, `${now},1e999`, `${now}`);
  for (const row of rows)
    await inWorld(async (world) => {
      world.storage.rows[ROW] = row;
      answerBy(world, (count) => (count === 1 ? [503] : [200]));
      const page = await world.open();
      await page.track("a");
      await world.clock.advance(HOUR + 6 * MINUTE);
      if (world.stored().length || world.sent.length !== 2) wrong.push(row);
    });
  expect(wrong).toEqual([]);
});

it("a row that is no state of it says nothing", () =>
  inWorld(async (world) => {
    world.storage.rows[ROW] = `x${world.clock.wall()},600000,3,told,0`;
    acceptAll(world);
    await (await world.open()).track("a");
    await world.clock.advance(100);
    expect(world.stored()).toEqual([]);
  }));

it("waits as well where the storage is denied or full", async () => {
  for (const spoil of [
    (world: World) => Object.assign(world.storage, { isDenied: true }),
    (world: World) => fill(world.storage),
  ])
    await inPage(async (page, world) => {
      spoil(world);
      answerBy(world, () => [503]);
      await page.track("a");
      await world.clock.advance(MINUTE);
      expect(gaps(world)).toEqual([1, 2, 4, 8, 16].map((wait) => wait + 1));
    });
});
