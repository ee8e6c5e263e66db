/** One tracker a name, whoever calls, by the global or by import, and in whatever order. On a server nothing. */
import { beforeEach, describe, expect, it, type MockInstance, vi } from "vitest";
import type { Command, Config, Hub, Problem } from "../../src/types.js";
import { readOpening } from "../simulation/read-words.js";
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
/** `hub track one; array track two; app init as bob`: by a copy of the script, in the array that waits for it, by import. */
type Act = string | ((place: Place) => unknown);

const problems: Problem[] = [];
const config = (more: Partial<Config> = {}): Config => ({
  apiToken: "token",
  trackUrl: "https://track.example",
  contactUid: "ann",
  pageviews: "off",
  onError: (problem) => problems.push(problem),
  ...more,
});

const take = ({ app, globals, hub, other }: Place, step: string): unknown => {
  const [who, verb, ...rest] = step.split(" ") as [string, ...Command];
  const given = verb === "init" ? [config(readOpening(rest.join(" ")))] : rest;
  if (who === "array") return (globals.tracklet as Command[]).push([verb, ...given] as Command);
  const target = who === "app" ? app : who === "hub" ? hub() : other();
  return (target as unknown as Record<string, (...args: unknown[]) => unknown>)[verb]!(...given);
};

/** Acts in a page where no tracker has started, and tells what was sent in the end: `one bob:two three@another-token`. */
const sentIn = async (act: Act): Promise<string> => {
  let sent: string[] = [];
  await inWorld(async (world) => {
    const page = await world.open({ name: "unused" });
    const load = async () => (await page.load<{ openHub: Place["hub"] }>("src/browser/hub.ts")).openHub;
    const app = await page.load<Place["app"]>("src/index.ts");
    const place = { page, world, globals: page.window, hub: await load(), other: await load(), app };
    await page.run(() => (typeof act === "string" ? act.split("; ").map((step) => take(place, step)) : act(place)));
    await world.clock.advance(1_000);
    sent = world.sent.map(({ body, name, url }) => {
      const [contact, token] = [JSON.parse(body).contact_uid, url.split("=")[1]];
      return `${contact === "ann" ? "" : `${contact}:`}${name}${token === "token" ? "" : `@${token}`}`;
    });
  });
  return sent.join(" ");
};
/** Calls as they wait in an array. */
const calls = (text: string): Command[] => text.split(", ").map((call) => call.split(" ") as Command);

/** What stands behind a mistake in the console. */
const SEE = ["(data-debug)"];
let warn: MockInstance;
beforeEach(() => {
  problems.length = 0;
  warn = vi.spyOn(console, "warn").mockImplementation(() => {});
});

describe("calls", () => {
  it.each<[string, Act, string]>([
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
      "one bob:two bob:three bob:four bob:five bob:six",
    ],
    [
      "go to the tracker also by a method that was taken before init",
      ({ hub }) => {
        const { track } = hub();
        hub().init(config());
        track("one");
      },
      "one",
    ],
    [
      "of a stub's array are taken over",
      ({ globals, hub }) => {
        globals.tracklet = Object.assign(calls("track one"), { init: () => {}, track: () => {} });
        hub().init(config());
      },
      "one",
    ],
    ...[{ id: "tracklet" }, "text", null].map((before): [string, Act, string] => [
      `are not lost where the global was ${JSON.stringify(before)}`,
      ({ globals, hub, app }) => {
        globals.tracklet = before;
        app.track("zero");
        hub().init(config());
        hub().track("one");
        app.init(config());
      },
      "zero one",
    ]),
    [
      "by import wait for init as well, in order with the calls of others",
      "app track one; array track two; app track three; app init name=tracklet; app track four",
      "one two three four",
    ],
    [
      "are of the usual name where that of a tag is empty",
      ({ hub, globals }) => {
        hub("").init(config({ name: "" }));
        (globals.tracklet as Hub).track("one");
      },
      "one",
    ],
    [
      "by import join the tracker that a tag has started",
      "app track one; hub init; app track two; app init; app track three",
      "one two three",
    ],
    [
      "of a second copy of the script are served by the first one",
      "hub init; other init as bob; hub track one",
      "bob:one",
    ],
    [
      "of another name are another tracker's, with another global and storage",
      ({ hub, other, world }) => {
        other("mine").init(config({ apiToken: "mine" }));
        hub().init(config());
        other("mine").track("one");
        hub().track("two");
        const keys = Object.keys(world.storage.rows).filter((key) => key.includes(":event3:"));
        expect(keys.map((key) => key.split(":")[0])).toEqual(["mine", "tracklet"]);
      },
      "one@mine two",
    ],
    [
      "are of the name in a configuration, wherever it is given",
      ({ globals, hub }) => {
        globals.tracklet = [["init", config({ name: "mine", apiToken: "mine" })]];
        globals.mine = [["track", "one"]];
        hub().init({} as Config);
      },
      "one@mine",
    ],
  ])("%s", async (_, act, sent) => {
    expect(await sentIn(act)).toBe(sent);
    expect(warn).not.toHaveBeenCalled();
  });

  it.each<[string, unknown, string]>([
    ["null", null, "push: TypeError"],
    ["an object", { event: "x" }, "push: TypeError"],
    ["a text", "track", "t: TypeError"],
    ["an unknown verb", ["follow", "x"], "follow: TypeError"],
    ["no verb", [], "push: TypeError"],
    ["calls within one array", [["track", { a: 1 }]], "track,[object Object]: TypeError"],
  ])("go on after %s, which is warned of and thrown at nobody", async (_, garbage, warning) => {
    const sent = await sentIn(({ globals, hub }) => {
      globals.tracklet = [["track", "one"], garbage, ["track", "two"]];
      hub().init(config());
      hub().push(garbage as never, ["track", "three"]);
    });
    expect(sent).toBe("one two three");
    expect(warn.mock.calls).toEqual([[expect.stringContaining(`tracklet: ${warning}`), ...SEE]]);
  });
  it("wait up to a bound, past which it is said that there is no init", async () => {
    const sent = await sentIn(({ hub }) => {
      for (let call = 1; call <= 1_000; call++) hub().track(call < 1_000 ? "" : "last");
      hub().track("late");
      hub().track("later");
      hub().init(config());
    });
    expect([sent, warn.mock.calls[0]]).toEqual(["last", ["tracklet: no init", ...SEE]]);
  });
});

describe("a configuration", () => {
  const BOB: Partial<Config> = { contactUid: "bob", pageviews: "auto" };
  const CHANGED = { trackUrl: "/t", beforeSend: () => null, stamp: true, params: { a: 2 } };
  it.each<[what: string, second: Partial<Config>, sent: string, warnings: string[]]>([
    ["nothing", {}, "pageview one", []],
    ["the same", config({ pageviews: "auto", params: { a: 1 }, beforeSend: () => {} }), "pageview one", []],
    ["another apiToken", config({ apiToken: "other", ...BOB }), "pageview one", ["init again: apiToken, name"]],
    ["another name", config({ name: "other", ...BOB }), "pageview one", ["init again: apiToken, name"]],
    ["the same name, and a contact", config({ name: "tracklet", ...BOB }), "bob:pageview bob:one", []],
    ["other options", CHANGED, "pageview one", []],
  ])(
    "that comes second, with %s, changes no option, and is warned of where its token or its name differs",
    async (_, second, ...expected) => {
      for (const isImported of [false, true]) {
        problems.length = 0;
        warn.mockClear();
        const sent = await sentIn(({ hub, app }) => {
          const { init, track } = isImported ? app : hub();
          init(config({ pageviews: "auto", stamp: false, params: { a: 1 }, beforeSend: () => {} }));
          init(second as Config);
          track("one");
        });
        expect([sent, problems.map(({ detail }) => detail)]).toEqual(expected);
        expect(warn.mock.calls).toEqual(problems.map(({ detail }) => [`tracklet: ${detail}`, ...SEE]));
      }
    },
  );
  it.each([undefined, null, {}])(
    "that is %j is said once, by whatever way, and a later one is taken",
    async (wrong) => {
      const sent = await sentIn(({ hub, app }) => {
        app.init(wrong as never);
        hub().init(wrong as never);
        hub().track("one");
        hub().init(config());
      });
      expect(sent).toBe("one");
      expect(warn.mock.calls).toEqual([["tracklet: init: apiToken, trackUrl", ...SEE]]);
    },
  );
});

it("consent and identity answer by whatever way: pending and nobody until a tracker starts, and then what holds", async () => {
  const told: unknown[] = [];
  await sentIn(({ app, hub, globals }) => {
    const ask = () => {
      const other = globals.tracklet as Partial<Hub>;
      told.push([app.consent(), other.consent?.(), app.identity(), other.identity?.()]);
    };
    app.track("one");
    ask();
    hub();
    ask();
    app.init(config({ consent: "pending", contactUid: 7, accountUid: "acme" }));
    for (const act of [() => {}, app.optOut, () => app.identify("bob"), app.optIn, app.reset]) {
      act();
      ask();
    }
  });
  const both = (consent: string, ...who: string[]) => [consent, consent, who, who];
  expect(told).toEqual([
    ["pending", undefined, [], undefined],
    both("pending"),
    both("pending", "7", "acme"),
    both("denied", "7", "acme"),
    both("denied", "bob", ""),
    both("granted", "bob", ""),
    both("granted"),
  ]);
});

it("onChange is told until it is stopped, by whatever way and whenever it was called", async () => {
  const told: string[] = [];
  const listen = (name: string) => (consent: string) => void told.push(`${name} ${consent}`);
  await sentIn(({ app, hub, globals, page }) => {
    const stops = [app.onChange(listen("early")), app.onChange(listen("stopped early"))];
    stops[1]!();
    stops.push(hub().onChange(listen("hub")), hub().onChange(listen("stopped hub")));
    stops[3]!();
    expect(told).toEqual([]);
    app.init(config({ consent: "pending", contactUid: undefined as never }));
    stops.push(app.onChange(listen("late")), (globals.tracklet as Hub).onChange(listen("later")));
    expect(told.splice(0)).toEqual(["early pending", "hub pending", "late pending", "later pending"]);
    app.optIn();
    expect(told.splice(0)).toEqual(["early granted", "hub granted", "late granted", "later granted"]);
    for (const stop of stops) stop();
    app.optOut();
    expect(told).toEqual([]);
    // On a server.
    Reflect.deleteProperty(page.window, "window");
    expect(app.onChange(listen("server"))()).toBeUndefined();
    page.window.window = page.window;
  });
  expect(told).toEqual([]);
});

it("flush has nothing to send before init, also beside a stub or an element, and tells then what was done", async () => {
  const results: Promise<unknown>[] = [];
  await sentIn(({ app, hub, globals }) => {
    for (const before of [Object.assign([], { flush: () => 5 }), { id: "tracklet" }]) {
      globals.tracklet = before;
      results.push(app.flush());
    }
    hub().push(...calls("track one, identify bob, pageview"));
    results.push(hub().flush());
    hub().init(config());
    results.push(hub().flush());
  });
  expect(await Promise.all(results)).toEqual([
    ...Array(3).fill({ delivered: 0, queued: 0, dropped: 0 }),
    { delivered: 2, queued: 0, dropped: 0 },
  ]);
});

it("on a server no verb does anything, and nothing is kept for the next request", async () => {
  const sent = await sentIn(async ({ app, globals, world, page }) => {
    Reflect.deleteProperty(page.window, "window");
    const { init, identify, track, pageview, reset, flush, consent, identity } = app;
    expect([init(config()), identify("ann"), track("a"), pageview(), reset()]).toEqual(Array(5).fill(undefined));
    expect([await flush(), consent(), identity()]).toEqual([{ delivered: 0, queued: 0, dropped: 0 }, "pending", []]);
    page.window.window = page.window;
    expect(globals.tracklet).toBeUndefined();
    app.init(config({ contactUid: undefined as never }));
    expect(world.stored()).toEqual([]);
  });
  expect(sent).toBe("");
});
