/** One tracker a name, whoever calls and in whatever order, in pages of a fake browser. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Command, Config, Hub, Problem } from "../../../src/types.js";
import { inWorld, type Page, type World } from "../../simulation/world.js";

const problems: Problem[] = [];
const config = (more: Partial<Config> = {}): Config => ({
  apiToken: "token",
  trackUrl: "https://track.example",
  contactUid: "ann",
  pageviews: "off",
  onError: (problem) => problems.push(problem),
  ...more,
});
/** The hub's module and the globals of the page that `inPage` has opened. */
let openHub: typeof import("../../../src/browser/global.js").openHub;
let page: Page;
const globals = (): Record<string, unknown> => page.window;

/** Another copy of the snippet in the page. */
const copy = async (): Promise<typeof openHub> =>
  (await page.load<{ openHub: typeof openHub }>("src/browser/global.ts")).openHub;

/** Runs in a page whose only trackers are those of hubs, and gives what was sent in the end. */
const inPage = async (act: (page: Page, world: World) => Promise<void>): Promise<string[]> => {
  let sent: string[] = [];
  await inWorld(async (world) => {
    world.onRequest = (request) => void world.clock.add(20, () => request.answer(200));
    page = await world.open({ name: "unused" });
    openHub = await copy();
    // Its navigations, so that page views can be counted.
    Object.assign(page.window, { navigation: Object.assign(new EventTarget(), { currentEntry: {} }) });
    await act(page, world);
    await world.clock.advance(1_000);
    sent = world.sent.map(({ body, url }) => {
      const { contact_uid, event_uid } = JSON.parse(body);
      return `${contact_uid} ${event_uid} ${url.split("=")[1]}`;
    });
  });
  return sent;
};

let warn: ReturnType<typeof vi.spyOn>;
beforeEach(() => {
  problems.length = 0;
  warn = vi.spyOn(console, "warn").mockImplementation(() => {});
});
afterEach(() => vi.restoreAllMocks());

it("is what the global holds, for every copy the same", () =>
  inPage((page) =>
    page.run(() => {
      const hub = openHub();
      expect(globals().tracklet).toBe(hub);
      expect(openHub("tracklet")).toBe(hub);
    }),
  ));

describe("calls", () => {
  it("before init wait, in their order with those that waited in the array", async () => {
    const sent = await inPage(async (page, world) => {
      await page.run(() => {
        globals().tracklet = [
          ["track", "one"],
          ["identify", "bob"],
          ["track", "two"],
        ];
        const hub = openHub();
        hub.track("three");
        hub.push(["track", "four"], ["track", "five"]);
      });
      await world.clock.advance(1_000);
      expect(world.sent).toEqual([]);
      await page.run(() => {
        openHub().init(config());
        openHub().track("six");
      });
    });
    expect(sent).toEqual([
      "ann one token",
      ...["two", "three", "four", "five", "six"].map((uid) => `bob ${uid} token`),
    ]);
  });
  it("keep their order around an init among them", async () => {
    const sent = await inPage((page) =>
      page.run(() => {
        globals().tracklet = [
          ["track", "one"],
          ["init", config()],
          ["track", "two"],
        ];
        openHub();
      }),
    );
    expect(sent).toEqual(["ann one token", "ann two token"]);
  });
  it("go to the tracker also by a method that was taken before init", async () => {
    const sent = await inPage((page) =>
      page.run(() => {
        const { track } = openHub();
        openHub().init(config());
        track("one");
      }),
    );
    expect(sent).toEqual(["ann one token"]);
  });
  it("of the methods of a stub's array are taken over", async () => {
    const sent = await inPage((page) =>
      page.run(() => {
        const stub: Command[] & { init?: unknown; track?: unknown } = [["track", "one"]];
        stub.init = stub.track = () => {};
        globals().tracklet = stub;
        openHub().init(config());
        openHub().track("two");
      }),
    );
    expect(sent).toEqual(["ann one token", "ann two token"]);
  });
  it.each<[string, unknown]>([
    ["an element with that id", { id: "tracklet" }],
    ["a text", "text"],
    ["null", null],
  ])("are not lost where the global was %s", async (_, before) => {
    const sent = await inPage((page) =>
      page.run(() => {
        globals().tracklet = before;
        openHub().init(config());
        openHub().track("one");
      }),
    );
    expect(sent).toEqual(["ann one token"]);
  });
  it.each<[string, unknown, string]>([
    ["null", null, "push: TypeError"],
    ["an object", { event: "x" }, "push: TypeError"],
    ["a text", "track", "no verb t"],
    ["an unknown verb", ["follow", "x"], "no verb follow"],
    ["no verb", [], "no verb undefined"],
    ["an init without a configuration", ["init"], "no apiToken, trackUrl"],
  ])("go on after %s, which is warned of and thrown at nobody", async (_, garbage, warning) => {
    const sent = await inPage((page) =>
      page.run(() => {
        globals().tracklet = [["track", "one"], garbage, ["track", "two"]];
        openHub().init(config());
        openHub().push(garbage as never, ["track", "three"]);
      }),
    );
    expect(sent).toEqual(["ann one token", "ann two token", "ann three token"]);
    expect(warn.mock.calls).toEqual([[expect.stringContaining(`tracklet: ${warning}`)]]);
  });
  it("of flush tell how many events wait for init", () =>
    inPage(async (page) => {
      let result: unknown;
      await page.run(() => {
        openHub().push(["track", "one"], ["identify", "bob"], ["pageview"]);
        openHub()
          .flush()
          .then((value) => {
            result = value;
          });
      });
      expect(result).toEqual({ delivered: 0, queued: 2, dropped: 0 });
    }));
});

describe("a second configuration", () => {
  const twice = (second: Config, run: (hub: Hub) => void = () => {}) =>
    inPage((page) =>
      page.run(() => {
        openHub().init(config({ pageviews: "auto" }));
        openHub().init(second);
        openHub().track("one");
        run(openHub());
      }),
    );
  it("from another copy of the script is served by the first one", async () => {
    const sent = await inPage(async (page) => {
      const openOther = await copy();
      await page.run(() => {
        openHub().init(config());
        openOther().init(config({ contactUid: "bob" }));
        openOther().track("one");
      });
    });
    expect(sent).toEqual(["bob one token"]);
  });
  it("starts nothing, and is served", async () => {
    expect((await twice(config({ pageviews: "auto" }))).sort()).toEqual(["ann one token", "ann pageview token"]);
    expect([warn.mock.calls, problems]).toEqual([[], []]);
  });
  it("identifies, as a call would", async () =>
    expect(await twice(config({ contactUid: "bob" }))).toContain("bob one token"));
  it.each([{ apiToken: "other" }, { name: "other" }])("with %j is warned of, and the first one holds", async (more) => {
    const other = config({ ...more, contactUid: "bob", onError: () => expect.unreachable() });
    const sent = await twice(other);
    expect(sent.sort()).toEqual(["ann one token", "ann pageview token"]);
    expect(warn.mock.calls).toEqual([["tracklet: init: name, apiToken"]]);
    expect(problems).toEqual([expect.objectContaining({ code: "input", detail: expect.stringContaining("apiToken") })]);
  });
  it("without anything changes nothing", async () => {
    expect(await twice({} as Config)).toHaveLength(2);
    expect([warn.mock.calls, problems]).toEqual([[], []]);
  });
});

describe("without a configuration", () => {
  it("what is missing is said, and a later one is taken", async () => {
    const sent = await inPage((page) =>
      page.run(() => {
        openHub().init({} as Config);
        expect(warn.mock.calls).toEqual([[expect.stringMatching(/apiToken.*trackUrl/)]]);
        openHub().track("one");
        openHub().init(config());
      }),
    );
    expect(sent).toEqual(["ann one token"]);
    expect(warn).toHaveBeenCalledTimes(1);
  });
});

describe("another name", () => {
  it("is another tracker, with another global and storage", async () => {
    const sent = await inPage(async (page, world) => {
      world.onRequest = () => {};
      const openOther = await copy();
      await page.run(() => {
        openOther("mine").init(config({ apiToken: "mine" }));
        openHub().init(config());
        openOther("mine").track("one");
        openHub().track("two");
      });
      const keys = Object.keys(world.storage.rows);
      for (const name of ["mine", "tracklet"])
        expect(keys.filter((key) => key.startsWith(`${name}:event2:`))).toHaveLength(1);
    });
    expect(sent.sort()).toEqual(["ann one mine", "ann two token"]);
    expect(warn).not.toHaveBeenCalled();
  });
  it("in a configuration means that name, wherever it is given", async () => {
    const sent = await inPage((page) =>
      page.run(() => {
        globals().tracklet = [["init", config({ name: "mine", apiToken: "mine" })]];
        globals().mine = [["track", "one"]];
        openHub().init({} as Config);
      }),
    );
    expect(sent).toEqual(["ann one mine"]);
    expect(warn).not.toHaveBeenCalled();
  });
});
