/** One tracker a name, whoever calls, by the global or by import, and in whatever order. On a server nothing. */
import { afterEach, beforeEach, describe, expect, it, type MockInstance, vi } from "vitest";
import type { Command, Config, Hub, Problem } from "../../src/types.js";
import { answerAll, NOBODY } from "../simulation/sent.js";
import { inWorld, type Page, type World } from "../simulation/world.js";

interface Place {
  page: Page;
  world: World;
  globals: Record<string, unknown>;
  hub: (name?: string) => Hub;
  /** The hub of another copy of the script. */
  other: (name?: string) => Hub;
  /** What an app imports. */
  app: typeof import("../../src/index.js");
}
const problems: Problem[] = [];
const config = (more: Partial<Config> = {}): Config => ({
  apiToken: "token",
  trackUrl: "https://track.example",
  contactUid: "ann",
  pageviews: "off",
  onError: (problem) => problems.push(problem),
  ...more,
});

/** Runs in a page where no tracker has started, and gives what was sent in the end, as `ann one token`. */
const sentIn = async (act: (place: Place) => unknown): Promise<string[]> => {
  let sent: string[] = [];
  await inWorld(async (world) => {
    answerAll(world);
    const page = await world.open({ name: "unused" });
    const load = async () => (await page.load<{ openHub: Place["hub"] }>("src/browser/global.ts")).openHub;
    const place = { page, world, globals: page.window, hub: await load(), other: await load() };
    const app = await page.load<Place["app"]>("src/index.ts");
    // Its navigations, so that page views can be counted.
    Object.assign(page.window, { navigation: Object.assign(new EventTarget(), { currentEntry: {} }) });
    await page.run(() => act({ ...place, app }));
    await world.clock.advance(1_000);
    sent = world.sent.map(({ body, name, url }) => `${JSON.parse(body).contact_uid} ${name} ${url.split("=")[1]}`);
  });
  return sent;
};
/** Calls as they wait in an array. */
const calls = (text: string): Command[] => text.split(", ").map((call) => call.split(" ") as Command);
const of = (...names: string[]): string[] => names.map((name) => `ann ${name} token`);

let warn: MockInstance;
beforeEach(() => {
  problems.length = 0;
  warn = vi.spyOn(console, "warn").mockImplementation(() => {});
});
afterEach(() => vi.restoreAllMocks());

describe("calls", () => {
  it.each<[string, (place: Place) => unknown, string[]]>([
    [
      "before init wait, in their order with those that waited in the array",
      ({ globals, hub, world }) => {
        globals.tracklet = calls("track one, identify bob, track two");
        hub().track("three");
        hub().push(...calls("track four, track five"));
        expect([world.stored(), globals.tracklet]).toEqual([[], hub()]);
        hub().init(config());
        hub().track("six");
      },
      ["ann one token", ...["two", "three", "four", "five", "six"].map((uid) => `bob ${uid} token`)],
    ],
    [
      "keep their order around an init among them",
      ({ globals, hub }) => {
        globals.tracklet = [...calls("track one"), ["init", config()], ...calls("track two")];
        hub();
      },
      of("one", "two"),
    ],
    [
      "go to the tracker also by a method that was taken before init",
      ({ hub }) => {
        const { track } = hub();
        hub().init(config());
        track("one");
      },
      of("one"),
    ],
    [
      "of a stub's array are taken over",
      ({ globals, hub }) => {
        globals.tracklet = Object.assign(calls("track one"), { init: () => {}, track: () => {} });
        hub().init(config());
        hub().track("two");
      },
      of("one", "two"),
    ],
    ...[{ id: "tracklet" }, "text", null].map((before): [string, (place: Place) => unknown, string[]] => [
      `are not lost where the global was ${JSON.stringify(before)}`,
      ({ globals, hub, app }) => {
        globals.tracklet = before;
        app.track("zero");
        hub().init(config());
        hub().track("one");
        app.init(config());
      },
      of("one", "zero"),
    ]),
    [
      "by import wait for init as well, in order with the calls of others",
      ({ app, globals }) => {
        app.track("one");
        (globals.tracklet as Command[]).push(["track", "two"]);
        app.track("three");
        app.init(config({ name: "tracklet" }));
        app.track("four");
      },
      of("one", "two", "three", "four"),
    ],
    [
      "by import are of the name that init gives",
      ({ app, globals, hub }) => {
        app.track("one");
        (globals.tracklet as Command[]).push(["track", "other"]);
        app.init(config({ name: "mine", apiToken: "mine" }));
        app.track("two");
        hub().init(config());
      },
      ["ann one mine", "ann two mine", ...of("other")],
    ],
    [
      "by import join the tracker that a tag has started",
      ({ app, hub }) => {
        app.track("one");
        hub().init(config());
        app.track("two");
        app.init(config());
        app.track("three");
      },
      of("one", "two", "three"),
    ],
    [
      "of a second copy of the script are served by the first one",
      ({ hub, other }) => {
        hub().init(config());
        other().init(config({ contactUid: "bob" }));
        other().track("one");
        expect(other()).toBe(hub("tracklet"));
      },
      ["bob one token"],
    ],
    [
      "of another name are another tracker's, with another global and storage",
      ({ hub, other, world }) => {
        other("mine").init(config({ apiToken: "mine" }));
        hub().init(config());
        other("mine").track("one");
        hub().track("two");
        const keys = Object.keys(world.storage.rows).filter((key) => key.includes(":event2:"));
        expect(keys.map((key) => key.split(":")[0])).toEqual(["mine", "tracklet"]);
      },
      ["ann one mine", "ann two token"],
    ],
    [
      "are of the name in a configuration, wherever it is given",
      ({ globals, hub }) => {
        globals.tracklet = [["init", config({ name: "mine", apiToken: "mine" })]];
        globals.mine = [["track", "one"]];
        hub().init({} as Config);
      },
      ["ann one mine"],
    ],
  ])("%s", async (_, act, sent) => {
    expect((await sentIn(act)).sort()).toEqual(sent.toSorted());
    expect(warn).not.toHaveBeenCalled();
  });

  it.each<[string, unknown, string]>([
    ["null", null, "push: TypeError"],
    ["an object", { event: "x" }, "push: TypeError"],
    ["a text", "track", 'no verb "t"'],
    ["an unknown verb", ["follow", "x"], 'no verb "follow"'],
    ["no verb", [], "no verb undefined"],
    ["calls within one array", [["track", { a: 1 }]], 'no verb ["track",{"a":1}]'],
    ["an init without a configuration", ["init"], "no apiToken, trackUrl"],
  ])("go on after %s, which is warned of and thrown at nobody", async (_, garbage, warning) => {
    const sent = await sentIn(({ globals, hub }) => {
      globals.tracklet = [["track", "one"], garbage, ["track", "two"]];
      hub().init(config());
      hub().push(garbage as never, ["track", "three"]);
    });
    expect(sent).toEqual(of("one", "two", "three"));
    expect(warn.mock.calls).toEqual([[expect.stringContaining(`tracklet: ${warning}`)]]);
  });
  it("by import wait as they were made", () =>
    sentIn(({ app, globals }) => {
      app.identify("bob", "acme");
      app.track("signup", { plan: "pro" });
      app.pageview({ a: 1 });
      app.reset();
      app.optIn();
      app.optOut();
      expect(globals.tracklet).toEqual([
        ["identify", "bob", "acme"],
        ["track", "signup", { plan: "pro" }],
        ["pageview", { a: 1 }],
        ...calls("reset, optIn, optOut"),
      ]);
    }));
});

describe("a configuration", () => {
  const twice = (second: Partial<Config>) =>
    sentIn(({ hub }) => {
      hub().init(config({ pageviews: "auto" }));
      hub().init(second as Config);
      hub().track("one");
    });
  it.each([{}, config({ pageviews: "auto" })])("that comes again starts nothing: %j", async (second) => {
    expect((await twice(second)).sort()).toEqual(of("one", "pageview"));
    expect([warn.mock.calls, problems]).toEqual([[], []]);
  });
  it.each([
    ["apiToken", "other", "ann"],
    ["name", "other", "ann"],
    ["consent", "pending", "bob"],
  ])("that comes with another %s is warned of, and the first one holds", async (option, value, contact) => {
    const other = config({ [option]: value, contactUid: "bob", onError: () => expect.unreachable() });
    expect((await twice(other)).sort()).toEqual([`${contact} one token`, `${contact} pageview token`]);
    expect(warn.mock.calls).toEqual([[`tracklet: init: ${option}`]]);
    expect(problems).toEqual([{ code: "input", detail: `init: ${option}`, event: undefined }]);
  });
  it.each([undefined, null, {}])(
    "that is %j is said once, by whatever way, and a later one is taken",
    async (wrong) => {
      const sent = await sentIn(({ hub, app }) => {
        app.init(wrong as never);
        hub().init(wrong as never);
        hub().track("one");
        hub().init(config());
      });
      expect(sent).toEqual(of("one"));
      expect(warn.mock.calls).toEqual([["tracklet: no apiToken, trackUrl"]]);
    },
  );
});

it("consent is pending until a tracker starts, and then what holds at this moment", async () => {
  const told: unknown[] = [];
  await sentIn(({ app, hub, globals }) => {
    const ask = () => void told.push([app.consent(), (globals.tracklet as Partial<Hub>).consent?.()]);
    app.track("one");
    ask();
    hub();
    ask();
    app.init(config({ consent: "pending" }));
    for (const choose of [() => {}, app.optOut, app.optIn]) {
      choose();
      ask();
    }
  });
  const both = ["pending", "pending", "denied", "granted"].map((state) => [state, state]);
  expect(told).toEqual([["pending", undefined], ...both]);
});

it("flush tells how many events wait for init, also beside a stub or an element, and then what was done", async () => {
  const results: unknown[] = [];
  await sentIn(async ({ app, hub, globals }) => {
    const flush = (by: { flush: Hub["flush"] }, at: number) =>
      void by.flush().then((result) => {
        results[at] = result;
      });
    for (const [at, before] of [Object.assign([], { flush: () => 5 }), { id: "tracklet" }].entries()) {
      globals.tracklet = before;
      flush(app, at);
    }
    hub().push(...calls("track one, identify bob, pageview"));
    flush(hub(), 2);
    hub().init(config());
    flush(hub(), 3);
  });
  expect(results).toEqual([
    ...[0, 0, 2].map((queued) => ({ delivered: 0, queued, dropped: 0 })),
    { delivered: 2, queued: 0, dropped: 0 },
  ]);
});

it("on a server no verb does anything, and nothing is kept for the next request", async () => {
  const sent = await sentIn(async ({ app, globals, world, page }) => {
    Reflect.deleteProperty(page.window, "window");
    const { init, identify, track, pageview, reset, flush, consent } = app;
    expect([init(config()), identify("ann"), track("a"), pageview(), reset()]).toEqual(Array(5).fill(undefined));
    expect([await flush(), consent()]).toEqual([{ delivered: 0, queued: 0, dropped: 0 }, "pending"]);
    page.window.window = page.window;
    expect(globals.tracklet).toBeUndefined();
    app.init(config(NOBODY));
    expect(world.stored()).toEqual([]);
  });
  expect(sent).toEqual([]);
});
