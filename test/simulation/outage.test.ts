/** When a service that fails is asked again (design §3.5). */
import { expect } from "vitest";
import type { Journal } from "./journal.js";
import { each, inStory, stories, storiesTwice } from "./story.js";

/** A page whose last success is long ago, so that nothing shortens the back-off; answers come at once. */
const SETTLED = "latency 1; A opens; A tracks; 60 s; requests 1";
/** A page that may have several requests at once. */
const BUSY = "latency 1; A opens; A tracks; 1 s; requests 1";

/** Seconds between the requests that follow the first one, rounded. */
const gaps = ({ world: { sent } }: Journal): number[] =>
  sent.slice(2).map(({ beganAt }, index) => Math.round((beganAt - sent[index + 1]!.beganAt) / 1_000));

stories("failures", {
  "double the wait from 1 s up to 5 min, to which each tab adds its own part of a second, and the wait for its turn":
    async (teller) => {
      await teller.tell(`chance 1; ${SETTLED}; weather unavailable; A tracks; 3600 s`);
      const waits = [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300];
      const more = waits.map((wait, index) => gaps(teller)[index]! - wait);
      expect(more).toEqual(waits.map(() => expect.toSatisfy((part: number) => part >= 0 && part <= 2)));
    },
  "that happen together count once": async () => {
    const firstGap: number[] = [];
    for (const count of [1, 4])
      await inStory(async ({ tell, world: { sent } }) => {
        await tell(`chance 1; ${BUSY}; weather unavailable; A tracks ${count}; 500 ms; requests ${count}; 4 s`);
        firstGap.push(sent[count + 1]!.beganAt - sent[count]!.beganAt);
      });
    expect(firstGap[1]).toBe(firstGap[0]);
  },
  "make the others wait for what becomes of the next event": `
    latency 200; chance 0.99; A opens; A tracks; 2 s; weather 503; A tracks; 300 ms; requests 2; A tracks; 30 ms; A tracks; 100 ms; requests 1`,
  "have full jitter": async (teller) => {
    await teller.tell(`chance 0.25; ${SETTLED}; weather unavailable; A tracks; 600 s`);
    expect(Math.max(...gaps(teller).slice(0, 5))).toBeLessThanOrEqual(5);
  },
  "are 2 s apart at most, beside the tab's part and its turn, for half a minute after a success": async (teller) => {
    await teller.tell("chance 0.99; A opens; A tracks; 1 s; weather unavailable; A tracks; 600 s");
    const [short, long] = [gaps(teller).slice(0, 9), gaps(teller).slice(9)];
    expect([Math.max(...short) <= 4, Math.max(...long) > 100]).toEqual([true, true]);
  },
  "are known to later pages, each of which may bring one request forward": `
    ${SETTLED}; weather unavailable; A tracks; 1200 s; A crashes; requests <30; B opens; 360 s; requests <7`,
  ...each(["denied", "full"], (storage) => [
    `make a page wait also where the storage is ${storage}`,
    `chance 0.99; ${SETTLED}; storage ${storage}; weather unavailable; A tracks; 60 s; requests <9`,
  ]),
});

const HURRY = { online: "A online", show: "A hides; A shows", flush: 'A calls "flush"' };

stories("Retry-After", {
  "holds in full, whatever the jitter says, each time": async (teller) => {
    await teller.tell(`chance 0; ${SETTLED}; weather 503+7; A tracks; 60 s`);
    expect(gaps(teller).filter((gap) => gap < 7)).toEqual([]);
    expect(gaps(teller).length).toBeGreaterThan(5);
  },
  ...each<[string, string, number]>(
    [
      ["by one that is accepted meanwhile", "503+60 200", 60],
      ["by a failure with none of its own", "503+60 500 200", 60],
      ["by a shorter one", "503+60 503+5 200", 60],
      ["except by a longer one", "503+5 503+60 200", 60],
      ["except by one that is longer by a second", "503+5 503+6 200", 6],
      ["by a failure of another kind before it", "500 503+60 200", 60],
      ["by the pause for a refusal", "503+600 401 200", 600],
      ["by a longer pause for a refusal", "503+60 401 200", 60],
    ],
    ([what, answers, seconds]) => [
      `of one of several requests is not changed ${what}`,
      `${BUSY}; weather ${answers}; A tracks 2; 500 ms; requests 2; ${Object.values(HURRY).join(";")}
       ${seconds - 0.6} s; requests 0; 60 s; waiting `,
    ],
  ),
  "is over once an event is accepted after it": `${SETTLED}; weather 503+7 200; A tracks 5; 10 s; waiting `,
  "of a day holds for an hour, also for pages that are opened meanwhile": `
    ${SETTLED}; weather 503+86400 200; A tracks; 1800 s; B opens; B tracks; 1799 s; requests 1; 60 s; waiting `,
});

stories("a service that is down", {
  "is asked less and less often, with one event at a time, and not more often for many events":
    "chance 0.5; A opens; weather unavailable; A tracks 100; 600 s; requests <20; 3000 s; requests <26; open 0",
  // Each of the first ten may have begun one before the first had failed; then one every 8 s, and those of ten tabs whose second
  // of spread ends while the news of the probe is on its way, about a third of a second.
  "is asked one at a time, also by many pages that are loaded again and again": async ({ tell }) => {
    await tell("weather refused");
    for (let round = 0; round < 8; round++) {
      for (const tab of "ABCDEFGHIJ") await tell(`${round ? `${tab} leaves 0 0` : ""}; ${tab} opens; ${tab} tracks`);
      await tell("5 s");
    }
    await tell(`requests <${Math.ceil(10 + (1 + 10 / 3) * (40 / 8))}; weather up; 600 s; once`);
  },
  ...each(Object.entries(HURRY), ([what, hurry]) => [
    `is asked within 9 s on ${what}, however often that happens`,
    `chance 0.99; ${SETTLED}; weather unavailable; A tracks 2; 1800 s; asked; requests <40
     ${`${hurry};`.repeat(5)} 10 s; requests 1`,
  ]),
  ...each(["B opens", "A returns"], (what) => [
    `is asked within 9 s where ${what === "B opens" ? "a page is loaded" : "one comes back from the cache"}`,
    `chance 0.99; ${SETTLED}; weather unavailable; A tracks; 1800 s; asked; requests <40; A freezes; ${what}; 10 s; requests 1`,
  ]),
  "and leaves requests open is sent one more after 2 s, and gives up each after 15 s": `
    weather silent; A opens; A tracks 20; 1 s; open 1; 3 s; open 2; 2 s; open 2; 10 s; open 2; weather up; 20 s; once`,
  "and hangs with four requests open is sent no more until one of them is given up, and is found in time": `
    ${SETTLED}; A tracks; 1 s; weather silent; A tracks 20; 1 s; open 4; 8 s; open 4; weather up; 20 s; arrived`,
  // Without marks: what is marked counts as stored.
  "and whose requests WebKit cuts off for the cache, and never ends, is sent them again": async ({ tell, world }) => {
    await tell("most 9; A opens stamped; A tracks; 5 s; weather silent; A tracks 3; 100 ms; A freezes");
    for (const sent of world.openRequests()) sent.isOpen = false;
    await tell("weather up; A returns; 40 s; arrived");
  },
  "once its probe's tab is gone, waits for no other answer": `
    ${SETTLED}; weather unavailable; A tracks; 100 ms; weather silent; asked; A crashes; weather up; B opens; 30 s; waiting `,
  "and is well again for one tab, is well for all": async ({ tell, until, world }) => {
    await tell(`chance 0.99; ${SETTLED}; B opens; weather unavailable; A tracks; B tracks; 300 s; weather up`);
    await until(() => world.stored().length < 2);
    await tell("1.5 s; waiting ");
  },
});

storiesTwice("a service whose answers have no end", {
  "is heard at their headers, and each is cut off half a second later": async ({ tell, world }) => {
    await tell("A opens; endless; A tracks; 400 ms; waiting ; A tracks 20; 7 s; once");
    const { length } = world.sent;
    await tell('1 s; A tracks 2 {"text":"LARGE"}; 3 s; once');
    expect(world.sent.slice(length).every(({ keepalive }) => keepalive)).toBe(false);
  },
});

stories("a damaged row of the back-off makes no page ask more often:", {
  ...each(["NOW,0,x,0,", "x,0,0,0,"], (row) => [
    row,
    `row backoff ${row}; weather unavailable; A opens; A tracks; 3600 s; requests <40`,
  ]),
});

stories("a wait ends", {
  ...each([-86_400_000, 86_400_000], (ms) => [
    `where the clock is set by ${ms} ms`,
    `${SETTLED}; weather 503+3600 200; A tracks; 1 s; jump ${ms}; A tracks; 60 s; waiting `,
  ]),
  ...each(
    [
      "",
      "x",
      "{}",
      "[1,2]",
      ",,,",
      ",,,,",
      "NOW,1000,1",
      "NaN,NaN,NaN,NaN,NaN",
      "-1,-1,0,0,",
      "Infinity,Infinity,Infinity,1,",
      "1e999,1,1,0,wait",
      "NOW,1e999,1e9,0,wait",
      "NOW,1e12,1e12,1,told",
    ],
    (row) => [
      `after an hour at most, whatever something else has written in its row (${row})`,
      `row backoff ${row}; weather 503 200; A opens; A tracks; 3960 s; waiting ; requests 2`,
    ],
  ),
});
