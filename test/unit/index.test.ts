/** What an app imports: verbs that may come before `init`, and do nothing on a server. */
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Command, Config, Hub } from "../../src/types.js";
import { inWorld, type Page, type World } from "../simulation/world.js";

type App = typeof import("../../src/index.js");
const config = (more: Partial<Config> = {}): Config => ({
  apiToken: "token",
  trackUrl: "https://track.example",
  contactUid: "ann",
  pageviews: "off",
  ...more,
});
/** The page that was opened last, and what is loaded there. */
let page: Page;
let app: App;
let openHub: (name?: string) => Hub;
const globals = () => page.window as unknown as Record<string, Hub | Command[] | undefined>;
const openPage = async (world: World): Promise<Page> => {
  page = await world.open({ name: "unused" });
  app = await page.load("src/index.ts");
  ({ openHub } = await page.load<{ openHub: typeof openHub }>("src/browser/global.ts"));
  return page;
};
afterEach(() => vi.restoreAllMocks());

describe("on a server", () => {
  it("no verb does anything, and nothing is kept for the next request", () =>
    inWorld(async (world) => {
      const { window } = await openPage(world);
      Reflect.deleteProperty(window, "window");
      expect(app.init(config())).toBeUndefined();
      expect(app.identify("ann")).toBeUndefined();
      expect([app.track("a"), app.pageview(), app.reset()]).toEqual([undefined, undefined, undefined]);
      expect(await app.flush()).toEqual({ delivered: 0, queued: 0, dropped: 0 });
      expect(app.consent()).toBe("pending");
      window.window = window;
      expect(globals().tracklet).toBeUndefined();
      await page.run(() => app.init(config({ contactUid: undefined as never })));
      await world.clock.advance(1_000);
      expect([world.sent, world.stored()]).toEqual([[], []]);
    }));
});

describe("in a page", () => {
  const inPage = (act: (page: Page) => Promise<unknown>): Promise<string[]> => {
    let sent: string[] = [];
    return inWorld(async (world: World) => {
      world.onRequest = (request) => void world.clock.add(20, () => request.answer(200));
      await act(await openPage(world));
      await world.clock.advance(1_000);
      sent = world.sent.map(({ url, name }) => `${url.split("=")[1]} ${name}`);
    }).then(() => sent);
  };

  it.each([{}, { name: "tracklet" }])(
    "verbs before init wait for it, in order, with the calls of others: %j",
    async (more) => {
      const sent = await inPage((page) =>
        page.run(() => {
          app.track("one");
          globals().tracklet!.push(["track", "two"]);
          app.track("three");
          app.init(config(more));
          app.track("four");
        }),
      );
      expect(sent).toEqual(["token one", "token two", "token three", "token four"]);
    },
  );
  it("verbs wait as they were called", () =>
    inPage(async () => {
      app.identify("bob", "acme");
      app.track("signup", { plan: "pro" });
      app.pageview({ a: 1 });
      app.reset();
      app.optIn();
      app.optOut();
      expect(globals().tracklet).toEqual([
        ["identify", "bob", "acme"],
        ["track", "signup", { plan: "pro" }],
        ["pageview", { a: 1 }],
        ["reset"],
        ["optIn"],
        ["optOut"],
      ]);
    }));
  it("verbs before an init with another name are of that name", async () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
    const sent = await inPage((page) =>
      page.run(() => {
        app.track("one");
        globals().tracklet!.push(["track", "other"]);
        app.init(config({ name: "mine", apiToken: "mine" }));
        app.track("two");
        openHub().init(config());
      }),
    );
    expect(sent.sort()).toEqual(["mine one", "mine two", "token other"]);
    expect(warn).not.toHaveBeenCalled();
  });
  it("verbs join the tracker that a tag has started", async () => {
    const sent = await inPage((page) =>
      page.run(() => {
        app.track("one");
        openHub().init(config());
        app.track("two");
        app.init(config());
        app.track("three");
      }),
    );
    expect(sent).toEqual(["token one", "token two", "token three"]);
  });
  it("an element whose id is the name is in nobody's way", async () => {
    const sent = await inPage((page) =>
      page.run(() => {
        globals().tracklet = { id: "tracklet" } as never;
        app.track("one");
        app.init(config());
      }),
    );
    expect(sent).toEqual(["token one"]);
  });
  it("consent is pending until a tracker starts, and then what holds at this moment", async () => {
    const told: string[] = [];
    const ask = () => void told.push(app.consent(), String((globals().tracklet as Partial<Hub>).consent?.()));
    await inPage((page) =>
      page.run(() => {
        app.track("one");
        ask();
        openHub();
        ask();
        app.init(config({ consent: "pending" }));
        ask();
        for (const choose of [app.optOut, app.optIn]) {
          choose();
          ask();
        }
      }),
    );
    const [before, ...after] = ["pending", "pending", "pending", "denied", "granted"];
    expect(told).toEqual([before, "undefined", ...after.flatMap((state) => [state, state])]);
  });
  it("flush resolves to zeros before init, also beside a stub or an element, and to what was done after it", async () => {
    const results: unknown[] = [];
    await inPage(async (page) => {
      const flush = () => void app.flush().then((result) => results.push(result));
      await page.run(flush);
      await page.run(() => {
        const stub: Command[] & { flush?: unknown } = [];
        stub.flush = () => 5;
        globals().tracklet = stub;
        flush();
      });
      await page.run(() => {
        globals().tracklet = { id: "tracklet" } as never;
        flush();
      });
      await page.run(() => {
        app.init(config());
        app.track("one");
        flush();
      });
    });
    expect(results).toEqual([
      ...Array(3).fill({ delivered: 0, queued: 0, dropped: 0 }),
      { delivered: 1, queued: 0, dropped: 0 },
    ]);
  });
  it("a wrong configuration throws nothing", async () => {
    vi.spyOn(console, "warn").mockImplementation(() => {});
    await inPage((page) =>
      page.run(() => {
        for (const wrong of [undefined, null, {}]) {
          app.init(wrong as never);
          app.track("one");
        }
      }),
    );
    expect(console.warn).toHaveBeenCalled();
  });
});
