/** The verbs, in pages of a fake browser: what is stored and sent, whatever arguments and pages do. */
import { afterEach, describe, expect, it, vi } from "vitest";
import { inWorld, type Page } from "../../simulation/world.js";
import { acceptAll, anonymous, answerBy, bodies, identify, MINUTE, reset } from "../../support/verbs.js";

afterEach(() => vi.restoreAllMocks());

describe("an event", () => {
  it("has the interface's members and nothing else", () =>
    inWorld(async (world) => {
      acceptAll(world);
      const page = await world.open({ accountUid: "acme" });
      await page.track("signup", { display_name: "Sign-up" });
      await page.run(() => page.tracker.pageview({ visit_url: "https://site.example/a" }));
      expect(await bodies(world)).toEqual([
        { contact_uid: "ann", event_uid: "signup", params: { account_uid: "acme", display_name: "Sign-up" } },
        {
          contact_uid: "ann",
          event_uid: "pageview",
          params: { account_uid: "acme", visit_url: "https://site.example/a" },
        },
      ]);
      expect(new Set(world.sent.map(({ url }) => url))).toEqual(
        new Set(["https://track.example/v1/track/event?api_token=token"]),
      );
    }));
  it("belongs to who was identified when it was tracked", () =>
    inWorld(async (world) => {
      acceptAll(world);
      const page = await world.open({ accountUid: "acme" });
      await page.track("a");
      await identify(page, "bob");
      await page.track("b");
      await page.track("c", { account_uid: "own" });
      expect(await bodies(world)).toEqual([
        { contact_uid: "ann", event_uid: "a", params: { account_uid: "acme" } },
        { contact_uid: "bob", event_uid: "b", params: {} },
        { contact_uid: "bob", event_uid: "c", params: { account_uid: "own" } },
      ]);
    }));
  it("has uids as texts, also where they are given as safe integers", () =>
    inWorld(async (world) => {
      acceptAll(world);
      const page = await world.open({ contactUid: 7, accountUid: 0 });
      await page.track("a");
      await page.run(() => page.tracker.identify(8, 9));
      await page.track("b");
      expect(await bodies(world)).toEqual([
        { contact_uid: "7", event_uid: "a", params: { account_uid: "0" } },
        { contact_uid: "8", event_uid: "b", params: { account_uid: "9" } },
      ]);
    }));
  it("has the members of config.params, which the account and its own members win over", () =>
    inWorld(async (world) => {
      acceptAll(world);
      const page = await world.open({ accountUid: "acme", params: { app: "shop", plan: "free", account_uid: "none" } });
      await page.track("a", { plan: "team" });
      const second = await world.open({ params: '{"app":"text"}' as never });
      await second.track("b");
      expect(await bodies(world)).toMatchObject([
        { params: { app: "shop", plan: "team", account_uid: "acme" } },
        { params: { app: "text" } },
      ]);
    }));
  it("keeps its stamp on every attempt: a UUID, also where the browser makes none (plain http)", () =>
    inWorld(async (world) => {
      const page = await world.open({ stamp: true });
      Object.assign(page.window.crypto as object, { randomUUID: undefined });
      const before = world.clock.wall();
      answerBy(world, () => 0);
      await page.track("a");
      await world.clock.advance(MINUTE);
      acceptAll(world);
      const sent = (await bodies(world)) as { params: { event_id: string; occurred_at: number } }[];
      expect(sent.length).toBeGreaterThan(2);
      expect(new Set(sent.map(({ params }) => params.event_id)).size).toBe(1);
      expect(sent[0]!.params.event_id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      expect(new Set(sent.map(({ params }) => params.occurred_at))).toEqual(new Set([before]));
    }));
});

it("params that are none are a mistake, named by where they were given", () =>
  inWorld(async (world) => {
    vi.spyOn(console, "warn").mockImplementation(() => {});
    const page = await world.open({ params: 5 as never });
    await page.track("a", "text" as never);
    await page.track("b", { bad: 1n });
    await page.run(() => page.tracker.pageview(5 as never));
    const mistakes = ["init: params", "track: params", "track: params.bad", "pageview: params"];
    expect(page.problems).toEqual(mistakes.map((detail) => ({ code: "input", detail, event: undefined })));
    const { problems } = await world.open({ params: '{"no":JSON}' as never });
    expect(problems).toEqual([{ code: "input", detail: "init: params", event: undefined }]);
  }));

describe("no verb throws, and the event still goes", () => {
  const cycle: Record<string, unknown> = { good: 1 };
  cycle.bad = cycle;
  it.each<[string, unknown]>([
    ["null", null],
    ["a number", 5],
    ["a text", "text"],
    ["a cycle", cycle],
    ["a BigInt", { n: 1n }],
  ])("with %s for params", (_, params) =>
    inWorld(async (world) => {
      acceptAll(world);
      const page = await world.open({ accountUid: "acme" });
      await page.track("a", params as never);
      expect(await bodies(world)).toMatchObject([
        { contact_uid: "ann", event_uid: "a", params: { account_uid: "acme" } },
      ]);
    }),
  );
  it.each<[string, (page: Page) => unknown]>([
    ["track()", ({ tracker }) => tracker.track(undefined as never)],
    ["track({})", ({ tracker }) => tracker.track({} as never)],
    ["track('')", ({ tracker }) => tracker.track("")],
    ["identify()", ({ tracker }) => tracker.identify(undefined as never)],
    ["identify(0.5)", ({ tracker }) => tracker.identify(0.5)],
  ])("%s is reported by verb and argument, once to the console, and nothing else", (name, call) =>
    inWorld(async (world) => {
      const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
      const page = await world.open();
      expect(await page.run(() => call(page))).toBeUndefined();
      expect(world.stored()).toEqual([]);
      await page.run(() => call(page));
      const detail = name.startsWith("track") ? "track: eventUid" : "identify: contactUid";
      expect(page.problems).toEqual(Array(2).fill({ code: "input", detail, event: undefined }));
      expect(warn.mock.calls).toEqual([[`tracklet: ${detail}`]]);
      await page.track("next");
      expect(world.stored()).toEqual(["next"]);
    }),
  );
  it("in flush(null)", () =>
    inWorld(async (world) => {
      const page = await world.open();
      let result: unknown;
      await page.run(() => {
        page.tracker.flush(null as never).then((value) => {
          result = value;
        });
      });
      await world.clock.advance(6_000);
      expect(result).toMatchObject({ queued: 0 });
    }));
  it.each([true, false])(
    "where the page has broken fetch, sendBeacon and the storage (keepalive: %s)",
    (canKeepAlive) =>
      inWorld(async (world) => {
        world.storage.isDenied = true;
        const page = await world.open({}, { canKeepAlive, isHidden: true });
        world.onRequest = () => {
          throw new Error("hostile");
        };
        await page.track("a");
        await page.leave();
        world.onRequest = () => {};
        await page.restore();
        acceptAll(world);
        await world.clock.advance(MINUTE);
        expect(world.names().filter((name) => name === "a").length).toBeGreaterThan(0);
      }),
  );
});

it("debug tells a listener of each decision from then on", () =>
  inWorld(async (world) => {
    answerBy(world, ({ name }) => (name === "bad" ? 401 : 200));
    const page = await world.open({ ...anonymous, beforeSend: ({ event_uid }) => event_uid !== "drop" && undefined });
    const lines: string[] = [];
    await page.track("before");
    await page.run(() =>
      page.tracker.debug((code, detail) => lines.push(`${code} ${/event_uid":"(\w+)/.exec(detail)?.[1] ?? detail}`)),
    );
    await page.track("a");
    await identify(page, "ann");
    await world.clock.advance(100);
    await page.track("drop");
    await page.track("bad");
    await world.clock.advance(100);
    await page.run(() => page.tracker.optOut());
    await page.track("b");
    // The options come first.
    expect(lines.slice(1)).toEqual([
      "waits for identify a",
      "200 before",
      "200 a",
      "dropped beforeSend",
      "queued bad",
      "401 bad",
      "paused status 401",
      "dropped consent",
    ]);
  }));

describe("events before anybody is identified", () => {
  it("wait, and are sent as who comes first", () =>
    inWorld(async (world) => {
      acceptAll(world);
      const page = await world.open(anonymous);
      await page.track("a");
      await world.clock.advance(MINUTE);
      expect([world.names(), world.stored()]).toEqual([[], ["a"]]);
      await identify(page, "bob");
      await page.track("b");
      // What is young goes without a lock, and so before what has waited.
      expect(await bodies(world)).toEqual([
        { contact_uid: "bob", event_uid: "b", params: {} },
        { contact_uid: "bob", event_uid: "a", params: {} },
      ]);
    }));
  it("are sent by the next page as who is identified there", () =>
    inWorld(async (world) => {
      acceptAll(world);
      const page = await world.open(anonymous);
      await page.track("a");
      await page.leave();
      page.kill();
      await world.open({ contactUid: "bob" });
      expect(await bodies(world)).toMatchObject([{ contact_uid: "bob", event_uid: "a" }]);
    }));
  it("are never sent as who comes after a reset, and leave the storage", () =>
    inWorld(async (world) => {
      acceptAll(world);
      const [page, other] = [await world.open(anonymous), await world.open(anonymous)];
      await page.track("a");
      await other.track("b");
      await reset(page);
      await identify(page, "bob");
      await page.track("c");
      expect(await bodies(world)).toMatchObject([{ contact_uid: "bob", event_uid: "c" }]);
      expect(world.stored()).toEqual([]);
    }));
  it("go after a day", () =>
    inWorld(async (world) => {
      const page = await world.open(anonymous);
      await page.track("a");
      world.clock.jump(86_400_001);
      await page.track("b");
      await world.clock.advance(MINUTE);
      expect(world.stored()).toEqual(["b"]);
    }));
});

describe("a configuration that is wrong", () => {
  it.each([{ apiToken: "" }, { trackUrl: "" }, { apiToken: undefined }])(
    "%j sends nothing anywhere; the events wait until it is right",
    (wrong) =>
      inWorld(async (world) => {
        acceptAll(world);
        const page = await world.open(wrong as never);
        await page.track("a");
        await world.clock.advance(MINUTE);
        expect([world.sent.length, world.stored()]).toEqual([0, ["a"]]);
        expect(page.problems.map(({ code }) => code)).toEqual(["input"]);
        await page.leave();
        page.kill();
        await world.open();
        expect(await bodies(world)).toMatchObject([{ event_uid: "a" }]);
      }),
  );
  it("that is put right delivers what waited", () =>
    inWorld(async (world) => {
      world.onRequest = (sent) =>
        void world.clock.add(20, () => sent.answer(sent.url.endsWith("api_token=right") ? 200 : 401));
      const page = await world.open({ apiToken: "wrong" });
      await page.track("a");
      await world.clock.advance(MINUTE);
      await page.leave();
      page.kill();
      await world.open({ apiToken: "right" });
      await world.clock.advance(MINUTE);
      expect(world.stored()).toEqual([]);
    }));
});
