/** Events that the service can never take beside others, and services that fail now and then (design §3.5). */
import { expect } from "vitest";
import type { Fate } from "./service.js";
import { each, inStory, SEVERAL, type Story, stories, storiesTwice } from "./story.js";
import { missing } from "./world-words.js";

const ALL = ["400", "500", "refused", "silent"];
/** A page that has been there for a while. */
const SETTLED = "A opens; 10 s";
/** The others must be there after this time, where one or several are poisonous: those that hang do so until their time-out. */
const IN_TIME = "5 s; others";
const soon = (poison: string): string => (poison === "silent" ? "20 s; others" : "10 s; others");

/** @param wait how much later those may be there that went in one request with the event; @param long with several such events */
const beside = (poison: string, wait = "", long = wait): Record<string, Story> => ({
  ...each([1, 8, 20], (place) => [
    `as number ${place} of 20`,
    `${SETTLED}; A tracks 20 poison ${poison} at ${place}; ${wait} ${IN_TIME}`,
  ]),
  "six of 20": `${SETTLED}; A tracks 20 poison ${poison} at 1 2 5 8 9 20; ${long} ${soon(poison)}`,
  "alone in another tab": `${SETTLED}; B opens; 10 s; A tracks poison ${poison}; 60 s; B tracks 19; ${IN_TIME}`,
  "although an outage has failed them as well": `
    ${SETTLED}; weather unavailable; A tracks 4 poison ${poison} at 1; 1 s; weather up; ${wait} ${soon(poison)}`,
});
for (const poison of ALL) {
  const title = `beside an event that always meets the answer ${poison}, the others arrive in time:`;
  stories(title, beside(poison), { seeds: 3 });
  // A request is given up after 15 s; those that were in it go on in parts, which may hang as well.
  const [wait, long] = poison === "silent" ? ["45 s;", "120 s;"] : [];
  stories(title, beside(poison, wait, long), { seeds: 3, before: SEVERAL });
}

storiesTwice("an event that the service never took", {
  ...each(
    ["500", "refused", "silent"].flatMap((poison) =>
      [
        [5, 20],
        [60, 20],
        [1_000, 310],
      ].map(([failing, within]) => [poison, failing, within] as const),
    ),
    ([poison, failing, within]) => [
      `(${poison}) arrives within ${within} s of a visit after the service takes it, ${failing} s later`,
      `${SETTLED}; A tracks 20 poison ${poison} at 3; ${failing} s; cured; A leaves; B opens; ${within} s; arrived`,
    ],
  ),
  ...each(ALL, (poison) => [
    `(${poison}) alone in one tab beside traffic in another is tried by each 15 times a minute at most`,
    async ({ tell, world }) => {
      await tell(`${SETTLED}; B opens; 10 s; A tracks poison ${poison}; ${"B tracks; 1 s;".repeat(60)}`);
      expect(world.names().filter((name) => name === "e1").length).toBeLessThanOrEqual(2 * 15);
      await tell(IN_TIME);
    },
  ]),
  "is tried within seconds at first, then ever more rarely": async ({ tell, world }) => {
    await tell(`${SETTLED}; A tracks poison 500; ${"A tracks; 1 s;".repeat(700)}`);
    const tries = world.sent.filter(({ name }) => name === "e1").map(({ beganAt }) => beganAt);
    const gaps = tries.slice(1).map((time, index) => time - tries[index]!);
    expect(Math.max(...gaps.slice(0, 8))).toBeLessThan(5_000);
    expect([Math.max(...gaps) > 60_000, Math.max(...gaps) < 310_000, gaps.length < 40]).toEqual([true, true, true]);
  },
});

stories("an event that fails", {
  "holds the others back where its answer speaks of the service, and not where it may speak of the event": async () => {
    const held: string[] = [];
    const answers: Fate[] = [[0], [400], [500], [500, 5], [404], [408], [425], [429]];
    for (const answer of answers)
      await inStory(async ({ tell, entries, until, service, world }) => {
        await tell(`chance 0.99; ${SETTLED}`);
        service.rule = ({ name }) => (name === "e1" ? answer : [200]);
        await tell("A tracks");
        for (const [index, which] of ["first", "second"].entries()) {
          await until(() => world.names().filter((name) => name === "e1").length > index);
          await tell("100 ms; A tracks; 500 ms");
          if (!entries.get(`e${index + 2}`)!.stored) held.push(`${(answer as number[]).join(" ")} ${which}`);
        }
      });
    const both = ["500 5", "408", "425", "429"].flatMap((answer) => [`${answer} first`, `${answer} second`]);
    expect(held.toSorted()).toEqual(both.toSorted());
  },
});

stories(
  "a service that fails for half of all requests",
  each(["", SEVERAL], (before) => [
    `has 40 events within 40 s, 18 times of 20 (${before})`,
    async () => {
      let quick = 0;
      for (let seed = 1; seed <= 20; seed++)
        await inStory(async ({ tell, entries }) => {
          await tell(`${before}; ${SETTLED}; weather half; A tracks 40; 40 s`);
          if (!missing({ entries }).length) quick++;
        }, seed);
      expect(quick).toBeGreaterThanOrEqual(18);
    },
  ]),
);

storiesTwice("events that the service refuses", {
  // The last one is known for what it is once another event is accepted.
  ...each(
    [400, 413, 422].flatMap((status) => [1, 6, 10].map((place) => [status, place] as const)),
    ([status, place]) => [
      `with ${status} are dropped and reported, and the others arrive (number ${place} of ten)`,
      async ({ tell, page, entries, service, world }) => {
        await tell(SETTLED);
        service.rule = ({ name }) => [name === `e${place}` ? status : 200];
        await tell("A tracks 10; 60 s; A tracks; 60 s; waiting ");
        expect(missing({ entries })).toEqual([`e${place}`]);
        expect(page("A").problems.filter(({ event }) => event)).toEqual([
          {
            code: "rejected",
            detail: `status ${status}`,
            status,
            event: JSON.parse(world.sent.find(({ name }) => name === `e${place}`)!.body),
          },
        ]);
      },
    ],
  ),
  ...each(
    [
      [3, 3],
      [20, 8],
    ],
    ([count, refused]) => [
      `all ${count} of them mean a wrong configuration, once ${refused} were refused: they are kept`,
      async ({ tell, world }) => {
        await tell(`${SETTLED}; weather 400; A tracks ${count}; 7200 s; A told paused status 400`);
        expect(new Set(world.names().slice(0, refused)).size).toBe(refused);
        await tell("requests <80; weather up; 600 s; arrived");
      },
    ],
  ),
  "mean none where one is refused however often, and the others fail": async ({ tell, service }) => {
    await tell(SETTLED);
    service.rule = ({ name }) => [name === "e1" ? 400 : 503];
    await tell("A tracks 3; 1800 s; A told ");
  },
});

storiesTwice("a wrong configuration", {
  ...each([301, 302, 401, 403, 404, 405, 410, 415], (status) => [
    `(${status}) keeps every event, is said once, asked rarely, and loses nothing once it is right`,
    `${SETTLED}; weather ${status}; A tracks 12; 3600 s; A told paused status ${status}; requests <40; weather up; 360 s; once`,
  ]),
  ...each(
    [403, 404, 302].flatMap((status) => ["", "A tracks; 40 s;"].map((before) => [status, before] as const)),
    ([status, before]) => [
      `is none where one event alone meets ${status}, ${before ? "40 s after a success" : "the first of all"}: 20 later ones arrive`,
      async ({ tell, service, entries, page }) => {
        await tell(`A opens; ${before} chance 0.9`);
        service.rule = ({ name }) => [name === "bad" ? status : 200];
        await tell(`A tracks bad; 1 s; ${"A tracks; 500 ms;".repeat(20)} A leaves`);
        expect([missing({ entries }), page("A").problems]).toEqual([["bad"], []]);
      },
    ],
  ),
  "that lasts for two seconds holds up nothing": `${SETTLED}; weather 404; A tracks 2; 2 s; weather up; A tracks 30; 30 s; once`,
  "is asked by a new event, at most every 8 s": async ({ tell }) => {
    await tell(`${SETTLED}; weather 403; A tracks 2; 60 s; requests <10; ${"A tracks; 1 s;".repeat(60)} requests <9`);
    await tell("weather up; A tracks; 20 s; once; A told paused status 403");
  },
  "is said again when it is wrong again": `
    ${SETTLED}; weather 401; A tracks; 400 s; weather up; A tracks; 400 s; weather 401; A tracks; 400 s
    A told paused status 401, paused status 401`,
});

stories(
  "several events in one request",
  {
    "of which one is refused go one by one, once each, and the next ones go together again": async ({
      tell,
      world,
    }) => {
      await tell("A opens; A tracks; 5 s; requests 1; A tracks 20 poison 400 at 8; 10 s; others");
      // Of these the one that is refused twice.
      expect(world.names().length).toBe(1 + 20 + 19 + 2);
      await tell("A told rejected status 400 e9; A tracks 5; 1 s; others");
      expect(world.sent.map(({ others }) => others.length).filter(Boolean)).toEqual([19, 4]);
    },
    ...each(
      [
        ["one former page", "A tracks 300; A crashes", 2],
        ["300 former pages", "A crashes; V opens; V tracks; V crashes;".repeat(300), 4],
      ] as const,
      ([whose, left, most]) => [
        `are 300 of ${whose} in ${most} requests at most`,
        async ({ tell, world }) => {
          await tell(`A opens; A tracks; 5 s; weather refused; ${left}; weather up`);
          const before = world.sent.length;
          await tell("B opens; 60 s; once");
          const sent = world.sent.slice(before);
          expect(sent.length - sent.flatMap(({ others }) => others).length).toBeLessThanOrEqual(most);
        },
      ],
    ),
    "stay together where the service asks for rest": `
      A opens; A tracks; 5 s; requests 1; next 429+2; A tracks 150; 10 s; once; requests 300`,
    ...each([200, 204, 207, 404, 405, 302], (status) => [
      `are asked for once in a document, and go singly, where something else answers ${status}; the next document tries again`,
      async ({ tell, world }) => {
        await tell(`A opens; A tracks; 5 s; plural ${status}; A tracks 10; 5 s; once; A tracks 5; 5 s; once`);
        const lists = () => world.sent.map(({ others }) => others.length).filter(Boolean);
        expect(lists()).toEqual([9]);
        await tell("plural; A leaves; B opens; B tracks; 5 s; B tracks 6; 5 s; once; A told ; B told ");
        expect(lists()).toEqual([9, 5]);
      },
    ]),
    ...each([200, 201, 202, 204], (status) => [
      `are all stored by ${status} with the offer`,
      `A opens; A tracks; 5 s; weather ${status}; A tracks 51; 20 s; once; requests 52`,
    ]),
    "go as many together as it says with its last answer": async ({ tell, world }) => {
      await tell("A opens; A tracks; 5 s; most 3; A tracks; 5 s; A tracks 10; 5 s; once");
      expect(Math.max(...world.sent.map(({ others }) => others.length))).toBe(2);
      expect(world.sent.length).toBe(12);
    },
    "that are too many for a service that takes fewer than it has said go one by one, as all later ones of the document":
      async ({ tell, world }) => {
        await tell("A opens; A tracks; 5 s; most 3; A tracks 10; 20 s; once; most 1000; A tracks 10; 5 s; once");
        expect(world.sent.map(({ others }) => others.length).filter(Boolean)).toEqual([9]);
      },
  },
  { before: SEVERAL },
);
