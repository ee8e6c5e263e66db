/** What becomes of events when pages end: cleanly, cut off, by a crash, or with their storage emptied (design §3.4). */
import { expect } from "vitest";
import { each, inStory, SEVERAL, stories, storiesTwice } from "./story.js";

storiesTwice("a page that is left", {
  "begins what it tracked last when it is hidden, and what comes later at once, with keepalive": async ({
    tell,
    world,
  }) => {
    await tell("A opens; 5 s; A tracks; A hides; sent e1; A tracks; A goes; A tracks; sent e1 e2 e3");
    expect(world.sent.map(({ keepalive }) => keepalive)).toEqual([true, true, true]);
  },
  ...each(
    [
      [100, 1],
      [30, 1_500],
    ],
    ([count, size]) => [
      `has at most 32 requests and 60 KiB in flight, oldest first (${count} events of ${size} characters)`,
      async ({ tell, entries, world }) => {
        await tell(`A opens; A tracks ${count} {"text":"${"日".repeat(size!)}"}; A goes`);
        const bytes = world.sent.reduce((sum, { body }) => sum + Buffer.byteLength(body), 0);
        expect([world.sent.length > 10, world.sent.length <= 32, bytes <= 61_440]).toEqual([true, true, true]);
        expect(world.names()).toEqual([...entries.keys()].slice(0, world.sent.length));
      },
    ],
  ),
  "begins two where one has been unanswered for over 2 s, and none while a back-off is in force": `
    A opens; weather silent; A tracks 1; 2.5 s; A tracks 10; A leaves; requests 2
    weather 503+60; B opens; B tracks; 5 s; requests 1; B tracks 5; B leaves tracking; requests 0`,
  ...each(["hides", "leaves navigating"], (end) => [
    `sends what has waited here for consent, without a wait for a lock (${end})`,
    `A opens pending; A tracks 3; 5 s; A agrees; A ${end}; requests 3`,
  ]),
  "acts on nothing but acceptance, and takes what was broken off just before for no failure": async ({
    tell,
    page,
    world,
  }) => {
    await tell("A opens; 5 s; latency 1000; weather silent; A tracks 3; 50 ms");
    await page("A").navigateAway();
    const [first, second] = world.openRequests();
    await first!.answer(200);
    await second!.answer(0);
    await tell(`100 ms; keys event event here identity${world.isStamped ? " offer" : ""}`);
  },
});

stories("what was in flight at a clean exit", {
  "counts as stored once a later request is accepted":
    "A opens; 5 s; weather silent; A tracks; 100 ms; A leaves; B opens; 21 s; weather up; B tracks; 5 s; sent e1 e2; waiting ",
  "has arrived when its lease is over, where nobody has answered until then":
    "A opens; 5 s; weather silent; A tracks; 100 ms; A leaves; B opens; 19 s; waiting e1; 2 s; waiting ; rest",
  "has arrived for who comes later, also in an outage: at a service that keeps repeats nothing comes twice": `
    latency 100; A opens stamped; A tracks; 100 ms; A leaves; 25 s; weather 503; B opens; B tracks; 4 s; weather up; 60 s
    once; waiting `,
  // A service that refuses everything is asked again after five minutes.
  ...each([0, 503, 401, 404, 302], (status) => [
    `is sent again when two other events fail (${status})`,
    `A opens; 5 s; weather silent; A tracks; 100 ms; A leaves; B opens; 6 s; weather ${status}; B tracks 2; 10 s
     weather up; 400 s; once; waiting `,
  ]),
  "is not sent again where the page comes back, and WebKit never ends the request": async ({ tell, world }) => {
    await tell("latency 1000; A opens; 5 s; A tracks; 100 ms; A freezes");
    world.sent[0]!.isOpen = false;
    await tell("A returns; A tracks; 60 s; sent e1 e2");
  },
  "does not bring back an event that was evicted":
    "A opens maxEvents=1; 5 s; weather silent; A tracks; 100 ms; A tracks; 100 ms; A leaves; waiting e2",
  "is sent again when one other event fails twice": `
    A opens; 5 s; weather silent; A tracks; 100 ms; A leaves; B opens; 6 s; weather 503 503 200; B tracks; 60 s; once; waiting `,
  "is not sent again when one other event fails once":
    "A opens; 5 s; weather silent; A tracks; 100 ms; A leaves; B opens; 6 s; weather 503 200; B tracks; 60 s; sent e1 e2 e2",
  "is not sent again when an event fails twice that has failed before, while others arrived": async ({
    tell,
    service,
    world,
  }) => {
    await tell(`latency 100; A opens; A tracks poison 500; ${"1 s; A tracks;".repeat(40)} 100 ms`);
    service.rule = ({ name }) => (name === "last" ? "silent" : [200]);
    await tell("A tracks last; A leaves; B opens; 400 s");
    expect(world.names().filter((name) => name === "last").length).toBe(1);
  },
  "is sent again where something has failed here, although another tab has found the service well": `
    A opens; B opens; 5 s; next refused; A tracks; 100 ms; B tracks; 400 ms; weather silent; A tracks; 20 ms; A leaves
    weather up; 60 s; once`,
  "is sent again where the browser is offline": `
    A opens; 5 s; weather silent; A tracks; 100 ms; offline; A leaves; online; weather up; B opens; 21 s; sent e1 e1`,
  "is sent again where the service has offered to drop repeats, also if it was not heard since": `
    most 9; A opens stamped; A tracks; 5 s; weather silent; A tracks; 100 ms; A leaves; B opens; 21 s; sent e1 e2 e2
    weather up; 60 s; once; waiting `,
  "is sent again then by a tab that was open before and has nothing else to do": `
    most 9; B opens; A opens stamped; A tracks; 5 s; weather silent; A tracks; 600 ms; A leaves; 25 s; sent e1 e2 e2`,
  "is not sent again where the service has taken its offer back": `
    latency 100; most 9; A opens stamped; A tracks; 5 s; most; A tracks; 1 s; A tracks; 50 ms; A leaves; B opens; 30 s
    sent e1 e2 e3; waiting `,
  // Only where the back-off draws a short delay does the probe come so soon.
  "is there although the outage is over right after the next page has seen it": async () => {
    for (let seed = 1; seed <= 60; seed++)
      await inStory(async ({ tell, entries, until }) => {
        await tell("A opens; 1 s; weather silent; A tracks 4; 100 ms; A leaves; weather refused; B opens; B tracks 2");
        await until(() => [...entries.values()].filter(({ failures }) => failures).length > 1);
        await tell("weather up; 60 s; once");
      }, seed);
  },
});

stories("where keepalive does not exist", {
  "a click that leaves the page ends in a beacon": async ({ tell, world }) => {
    await tell("A opens canKeepAlive=false; 5 s; A tracks; A leaves; sent e1");
    expect(world.sent[0]!.isBeacon).toBe(true);
    await tell("B opens canKeepAlive=false; 21 s; B tracks; 5 s; sent e1 e2; waiting ");
  },
  "an event of a page that stays is sent by a plain request": async ({ tell, world }) => {
    await tell("A opens canKeepAlive=false; A tracks; 2 s; waiting ");
    expect(world.sent.map(({ isBeacon }) => isBeacon)).toEqual([false]);
  },
});

storiesTwice(
  "a page that empties the storage in an outage",
  {
    // Those that begin before the first answer are four to eight; the back-off lets about six follow.
    "again and again does not forget the back-off": `
      A opens; 1 s; weather unavailable; A tracks 20
      ${"200 ms; A clears; A tracks;".repeat(50)}
      requests <17`,
  },
  { seeds: 3 },
);

stories(
  "a page that is left, and whose service takes several events in one request",
  {
    "begins all that fit into 60 KiB in one, oldest first; the rest comes later": async ({ tell, world, entries }) => {
      await tell(
        `A opens; A tracks; 5 s; requests 1; latency 100; A tracks 250 {"text":"${"x".repeat(90)}"}; A leaves`,
      );
      const begun = world.sent.slice(1);
      expect(new Set(begun.map(({ beganAt }) => beganAt)).size).toBe(1);
      expect(begun.reduce((sum, { body }) => sum + Buffer.byteLength(body) + 1, 1)).toBeLessThanOrEqual(61_440);
      expect(begun.length).toBeGreaterThan(150);
      expect(world.names()).toEqual([...entries.keys()].slice(0, world.sent.length));
      await tell("B opens; 60 s; once");
    },
  },
  { before: SEVERAL },
);
