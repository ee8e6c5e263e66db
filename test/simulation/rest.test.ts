/** When requests begin, and what a page does on which nothing waits (design §3.3, §3.6). */
import { expect } from "vitest";
import { each, inStory, stories } from "./story.js";

stories("a page on which nothing waits has no timer and does not touch the storage", {
  ...each(["", "nobody", "pending", "denied"], (visitor) => [
    `of a visitor who is ${visitor || "known"}`,
    `A opens ${visitor}; B opens ${visitor}; A tracks 5; 60 s; rest`,
  ]),
  "also when it is hidden, and, but for who she is and what is allowed, when somebody is named once more": async ({
    tell,
    page,
  }) => {
    await tell("A opens nobody; A identifies ann/acme; 5 s");
    const before = page("A").storageUses;
    await tell("A identifies ann/acme; A hides");
    expect(page("A").storageUses - before).toBeLessThan(5);
  },
  "whatever other scripts store": async ({ tell, page }) => {
    await tell("A opens; B opens; 60 s");
    const before = page("A").storageUses;
    for (const key of ["cart:event:1", "tracklet:another:event3:a:1:1", "tracklet2:consent", "cart"])
      page("B").window.localStorage[key] = "1";
    await tell("1 s");
    expect([page("A").waits(), page("A").storageUses]).toEqual([0, before]);
  },
});

stories("a request begins", {
  "after the next frame of a page that is seen": async ({ tell, page, world }) => {
    await tell("A opens; 1003 ms; A tracks 5");
    const frame = new Promise<number>((resolve) => {
      (page("A").window.requestAnimationFrame as typeof requestAnimationFrame)(() => resolve(world.sent.length));
    });
    await tell("32 ms");
    expect([await frame, world.sent.length > 0]).toEqual([0, true]);
  },
  "at the end of the task on a hidden one, once for all that the task has tracked": async ({ tell, page, world }) => {
    await tell("A opens hidden; 1 s");
    const before = page("A").storageUses;
    world.onRequest = () => {};
    await page("A").run(() => {
      for (let count = 0; count < 100; count++) page("A").tracker.track("a");
    });
    // No time has passed.
    expect(world.sent.length).toBeGreaterThan(0);
    expect(page("A").storageUses - before).toBeLessThan(400);
  },
  "within 100 ms where frames never come": "A opens covered; 1003 ms; A tracks; 100 ms; requests 1",
});

stories("requests", {
  "go oldest first: one, until the service has answered, then four at a time": async ({ tell, world, entries }) => {
    const counts: number[] = [];
    const { onRequest } = world;
    world.onRequest = (sent) => {
      counts.push(world.openRequests().length);
      onRequest(sent);
    };
    await tell("A opens; A tracks 50; 60 s; waiting ");
    expect(world.names()).toEqual([...entries.keys()]);
    expect([counts[0], counts[1], Math.max(...counts)]).toEqual([1, 1, 4]);
  },
  "have keepalive, but for what does not fit into its budget alone; what does, and what is behind it, waits for room":
    async ({ tell, world }) => {
      await tell("A opens; 5 s; A tracks warmup; 1 s; latency 1000");
      for (const [name, size] of Object.entries({ a: 13_000, b: 13_000, huge: 30_000, small: 1 }))
        await tell(`A tracks ${name} {"text":"${"日".repeat(size)}"}`);
      const sent = () => world.sent.slice(1).map(({ name, keepalive }) => `${name} ${keepalive}`);
      await tell("300 ms");
      expect(sent()).toEqual(["a true"]);
      await tell("2 s");
      expect(sent()).toEqual(["a true", "b true", "huge false", "small true"]);
    },
  "of several events go four at a time as well, without keepalive where its budget is used up": async ({
    tell,
    world,
  }) => {
    const begun = () => world.sent.filter(({ others }) => others.length).map(({ keepalive }) => keepalive);
    await tell(
      `stamped; most 1000; weather refused; A opens; A tracks 50 {"text":"${"x".repeat(6_000)}"}; 5 s; A leaves`,
    );
    await tell("weather up; latency 1000");
    await tell("B opens; asked; 1.8 s");
    expect(begun()).toEqual([true, false, false, false]);
    // Their page takes along what it leaves, and the next one sends it.
    await tell("B leaves; C opens; 30 s; once");
  },
  "of several events hold none without a stamp, though the page has given it an event_id": async ({ tell, world }) => {
    await tell('most 1000; weather refused; A opens; A tracks 9 {"event_id":"own"}; 5 s; A leaves');
    await tell("weather up; B opens; 30 s; once");
    expect(world.sent.flatMap(({ others }) => others)).toEqual([]);
  },
});

stories("flush", {
  "delivers what waits and counts it": "A opens; A tracks 20; A flushes 20 0 0; A flushes 0 0 0",
  "takes over what a page before has left":
    "weather refused; A opens; A tracks 3; 1 s; A leaves; 60 s; weather up; B opens; B flushes 3 0 0; waiting ",
  "resolves at once on a hidden page, whose timers come late":
    "weather silent; A opens throttleMs=60000; A tracks; A hides; A flushes 0 1 0 300",
  "resolves early while the service asks for rest, and in a pause": async () => {
    for (const weather of ["503+600", "401"])
      await inStory(`weather ${weather}; A opens; A tracks; 100 ms; A flushes 0 1 0 400`);
  },
  "waits for the next attempt, where that comes within its time: so all goes after an outage":
    "weather refused; A opens; A tracks 1000; 45 s; asked; 1 s; weather up; A flushes 0 1000 0 500; A flushes 1000 0 0 60000; waiting ",
  "resolves within its time although nobody answers, and counts nothing that waits of other tabs":
    "weather silent; A opens; A tracks 2; A crashes; 3 s; B opens; B tracks; 100 ms; B flushes 0 1 0 300",
});

stories("an outage", {
  "costs as few uses of the storage with a hundred events as with ten, in two tabs, and no timer but the back-off's":
    async () => {
      const uses: number[] = [];
      for (const count of [10, 100])
        await inStory(async ({ tell, world: { pages } }) => {
          await tell(`weather 503+300; A opens; B opens; A tracks ${count}; B tracks ${count}; 60 s`);
          const used = (): number => pages.reduce((sum, { storageUses }) => sum + storageUses, 0);
          const before = used();
          await tell("180 s");
          expect(used()).toBe(before);
          expect(pages.map((page) => page.waits() <= 1)).toEqual([true, true]);
          await tell("600 s");
          uses.push(used() - before);
        });
      expect(uses[1]! / uses[0]!).toBeLessThan(1.5);
    },
});
