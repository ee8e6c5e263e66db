/** What the visitor has allowed or refused, and what holds where nobody has chosen (design §3.11). */
import { expect, it } from "vitest";
import { each, inStory, stories } from "./story.js";
import { inWorld } from "./world.js";

stories("before the visitor has chosen", {
  "nothing is stored or sent, whatever is called, and all is gone with the page": `
    A opens pending; A tracks; A calls "pageview"; A identifies bob; A resets; 60 s; requests 0; keys ; A leaves
    B opens pending; B agrees; 60 s; requests 0; keys consent identity`,
  "the storage stays as it was, also when the page goes and comes back":
    "A opens pending; A tracks; 60 s; A hides; A freezes; A returns; 60 s; requests 0; keys ",
  "flush resolves at once": "A opens pending; A tracks; A flushes 0 1 0 0",
  "the bounds of the queue hold":
    "A opens pending maxEvents=2; A tracks 3; A agrees; 60 s; sent e2 e3; A told evicted maxEvents, maxBytes e1",
});

stories("an agreement", {
  "stores and sends what waits, each event as what it was": async ({ tell, world }) => {
    const before = world.clock.wall();
    await tell("A opens pending stamped; A tracks; 60 s; A identifies bob/acme; A tracks e9; A agrees; waiting e1 e9");
    await tell("60 s; owners ann, bob/acme; keys consent here identity");
    expect(JSON.parse(world.sent.find(({ name }) => name === "e1")!.body).params.occurred_at).toBe(before + 1);
  },
  "holds in another tab with the contact of that one, also when there is none any more": `
    A opens pending; B opens pending; A resets; A agrees; 1 s; B tracks; A tracks; 60 s; requests 0
    A identifies bob; 1 s; B tracks; 60 s; owners nobody x2, bob`,
  "holds without a storage, as a refusal does":
    "storage denied; A opens pending; A tracks; A agrees; 60 s; sent e1; A refuses; A tracks; 60 s; sent e1",
  "is stored although what waits fills the storage, and hides no later refusal": async () => {
    for (let room = 30; room < 700; room += 30)
      await inStory(async ({ tell, world }) => {
        await tell("A opens pending; B opens pending; A tracks 5; storage full");
        world.storage.quota += room;
        await tell("A agrees");
        expect(world.storage.rows["tracklet:consent"], `with room for ${room}`).toBe("granted");
        await tell("60 s; storage free; B refuses; 1 s; A tracks last; 60 s");
        expect(world.names(), `with room for ${room}`).not.toContain("last");
      });
  },
});

stories("a refusal", {
  "elsewhere holds at once, and not only when the page is told: nothing is stored, and no request begins": async ({
    tell,
    page,
    world,
  }) => {
    world.storage.lag = () => 0;
    await tell("weather unavailable; A opens hidden; B opens; A tracks; 3 s; B refuses; requests <9; weather up");
    await page("A").run(() => {
      const { track, identify } = page("A").tracker;
      for (const verb of [track, identify] as ((uid: string) => void)[]) verb("e9");
    });
    await tell("keys consent; requests 0; 60 s; keys consent; requests 0");
  },
  "that is taken back leaves whom the page knew by the storage, for the next page, too":
    "A opens as ann/acme; A leaves; B opens nobody; B refuses; keys consent; B agrees; 1 s; B leaves; C opens nobody; C tracks; 60 s; owners ann/acme",
  "leaves who was named to its page, which stores it once the visitor agrees":
    "A opens; A refuses; keys consent; A agrees; keys consent identity; 1 s; A crashes; B opens nobody; 1 s; B tracks; 60 s; owners ann",
  ...each(["pending", ""], (state) => [
    `forgets what waits and wipes all but itself, for good${state && " (pending)"}`,
    async ({ tell, world }) => {
      world.storage.rows["other:event"] = "not ours";
      await tell(`weather silent; A opens ${state}; A tracks; 1 s; requests ${state ? 0 : 1}; A refuses`);
      await tell("keys consent other:event; A tracks; A identifies bob; 60 s; A leaves; B opens; B tracks; 60 s");
      await tell("requests 0; keys consent other:event");
    },
  ]),
  ...each(["pending", ""], (state) => [
    `is undone by an agreement, for what comes then${state && " (pending)"}`,
    `A opens nobody ${state}; A tracks; A refuses; A tracks; A identifies bob; A agrees; A tracks; 60 s; sent e3; A crashes
     B opens nobody ${state}; B tracks; 60 s; owners nobody x2, bob x2`,
  ]),
  "elsewhere holds for a page that is hidden before it is told of it":
    "A opens; 5 s; weather silent; A tracks 2; 100 ms; requests 1; row consent denied; A hides; requests 0",
  "elsewhere holds although that page empties the storage in the same task": `
    A opens; B opens; 1 s; B refuses; B clears; 1 s; A tracks; 60 s; requests 0; B agrees; 1 s; A tracks; 60 s; sent e2`,
  "once more wipes what a page has written that found no choice in the emptied storage":
    "A opens; A refuses; A clears; B opens; B tracks; B crashes; 1 s; A refuses; keys consent",
  "elsewhere that no event has told of holds when the page is seen again":
    "A opens; 5 s; A hides; row consent denied; A shows; A tracks; 10 s; requests 0",
  "holds although the storage is full": `
    weather refused; A opens; A tracks; 1 s; requests <9; storage full; A refuses; keys consent; 1 s; A crashes
    B opens; B tracks; 60 s; requests 0`,
  "by the configuration leaves nothing of earlier pages but the choice":
    "weather refused; A opens; A tracks; A agrees; A crashes; 1 s; B opens denied; keys consent",
  "by the configuration binds the page's token and the former one, and one by the visitor each token": `
    weather refused; A opens apiToken=old; A tracks; B opens apiToken=other; B tracks; 1 s; A crashes; B crashes
    C opens denied formerToken=old; waiting e2; C refuses; waiting ; keys consent`,
  "outlives a page's emptying of the storage, there and for the next page":
    "A opens; A refuses; A clears; A tracks; 60 s; A leaves; B opens; B tracks; 60 s; requests 0; keys consent",
});

stories("a log-out", {
  "before the visitor has chosen removes who was named by an earlier page":
    "A opens; A leaves; B opens pending nobody; B resets; keys ; B leaves; C opens nobody; C tracks; 60 s; requests 0",
  "leaves the choice alone": "A opens; A agrees; A resets; keys consent identity",
  ...each(
    [
      ["agrees", "pending", "identity consent"],
      ["refuses", "", "consent identity"],
    ],
    ([verb, state, order]) => [
      `and the choice are written in the order in which other tabs need them (${verb})`,
      async ({ tell, page }) => {
        await tell(`A opens ${state}; B opens pending; A resets; 1 s`);
        const heard: string[] = [];
        page("B").window.addEventListener("storage", (event) => {
          heard.push((event as StorageEvent).key!.replace(/.*:/, ""));
        });
        await tell(`A ${verb}; 1 s`);
        expect(heard.slice(0, 2).join(" ")).toBe(order);
      },
    ],
  ),
});

stories("a muted browser", {
  "records, sends and changes nothing on any page, until the time is over": async ({ tell, page, world }) => {
    await tell("weather refused; A opens; B opens; A tracks; 1 s; B hides");
    const { localStorage } = page("A").window;
    world.storage.lag = () => 0;
    await page("A").run(() => {
      localStorage["tracklet:mute"] = `${world.clock.wall() + 60_000}`;
    });
    await tell("1 s; A hides; A shows; weather up; requests <9");
    const before = { ...world.storage.latest() };
    await tell('C opens as staff; A tracks; B tracks; C tracks; C calls "optIn"; C calls "reset"; 20 s; C tracks');
    await tell("A leaves; B leaves; C leaves; waiting e1; D opens; D tracks; 20 s; requests 0");
    expect([world.storage.latest(), page("D").tracker.consent()]).toEqual([before, "denied"]);
    await tell("D leaves; 60 s; E opens; E tracks; 60 s; E sent e7 e1; waiting ");
  },
});

stories(
  "a muted page",
  each(["true", ""], (mute) => [
    `records, sends and changes nothing, whatever is called (mute=${mute})`,
    async ({ tell, page, world }) => {
      await tell("weather refused; A opens as ann/acme; A agrees; A tracks; 60 s; A crashes; requests <99");
      const before = { ...world.storage.latest() };
      expect(Object.keys(before)).toHaveLength(6);
      await tell(`B opens mute=${mute} as staff pageviews=auto; B tracks; B calls "optIn"; B calls "identify", "bob"`);
      await tell('B calls "pageview"; B tracks; B calls "optOut"; B calls "reset"; B tracks; 600 s');
      expect(page("B").tracker.consent()).toBe("denied");
      await tell("B flushes 0 0 0; B leaves; requests 0; B told ");
      expect(world.storage.latest()).toEqual(before);
    },
  ]),
);

it("the stored choice beats what the configuration says, except for denied and the signal that it respects", async () => {
  const wrong: string[] = [];
  for (const choice of [undefined, "granted", "denied", "not granted", "denied not"])
    for (const consent of ["granted", "pending", "denied"] as const)
      for (const [respectGpc, signal] of [true, false].flatMap((one) => [true, false].map((other) => [one, other]))) {
        const isRefused = consent === "denied" || (respectGpc && signal);
        const isChosen = choice === "granted" || choice === "denied";
        const allowed = isRefused ? "denied" : isChosen ? choice : consent;
        Object.defineProperty(Object.prototype, "globalPrivacyControl", { value: signal, configurable: true });
        await inWorld(async (world) => {
          if (choice) world.storage.rows["tracklet:consent"] = choice;
          const config = { consent, respectGpc: respectGpc! };
          // What a banner is told on a page that is loaded ahead of its visit.
          const told = (await world.open({ ...config, isPrerendering: true })).tracker.consent();
          await (await world.open(config)).track("a");
          await world.clock.advance(1_000);
          if (
            told !== allowed ||
            world.sent.length > 0 !== (allowed === "granted") ||
            world.storage.rows["tracklet:consent"] !== choice
          )
            wrong.push(`${consent}, the signal ${signal} (respected: ${respectGpc}), with the stored choice ${choice}`);
        }).finally(() => Reflect.deleteProperty(Object.prototype, "globalPrivacyControl"));
      }
  expect(wrong).toEqual([]);
});
