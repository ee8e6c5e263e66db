/** The verbs, in pages of a fake browser: what is stored and sent, whatever arguments and pages do. */
import { describe, expect, it } from "vitest";
import type { Config, FlushResult } from "../src/types.js";
import { inWorld, type Page, type World } from "./support/world.js";

const MINUTE = 60_000;
const acceptAll = (world: World): void => {
  world.onRequest = (sent) => void world.clock.add(20, () => sent.answer(200));
};
const anonymous = { contactUid: undefined } as unknown as Partial<Config>;
/** The bodies that were sent. */
const bodies = async (world: World): Promise<object[]> => {
  await world.clock.advance(MINUTE);
  return world.sent.map(({ body }) => JSON.parse(body));
};
const identify = (page: Page, contact: string, account?: string): Promise<void> =>
  page.run(() => page.tracker.identify(contact, account));
const reset = (page: Page): Promise<void> => page.run(() => page.tracker.reset());
const flush = async (world: World, page: Page, timeoutMs = 5_000): Promise<FlushResult | undefined> => {
  let result: FlushResult | undefined;
  await page.run(() => void page.tracker.flush({ timeoutMs }).then((value) => (result = value)));
  await world.clock.advance(timeoutMs + 100);
  return result;
};

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
  it("keeps its stamp on every attempt", () =>
    inWorld(async (world) => {
      const page = await world.open({ stamp: true });
      const before = world.clock.wall();
      world.onRequest = (sent) => void world.clock.add(20, () => sent.fail());
      await page.track("a");
      await world.clock.advance(MINUTE);
      acceptAll(world);
      const sent = (await bodies(world)) as { params: { event_id: string; occurred_at: number } }[];
      expect(sent.length).toBeGreaterThan(2);
      expect(new Set(sent.map(({ params }) => params.event_id)).size).toBe(1);
      expect(sent[0]!.params.event_id).toMatch(/^[0-9a-f-]{36}$/);
      expect(new Set(sent.map(({ params }) => params.occurred_at))).toEqual(new Set([before]));
    }));
});

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
    ["track(5)", ({ tracker }) => tracker.track(5 as never)],
    ["track('')", ({ tracker }) => tracker.track("")],
    ["identify()", ({ tracker }) => tracker.identify(undefined as never)],
    ["identify({})", ({ tracker }) => tracker.identify({} as never)],
  ])("%s is reported, and nothing else", (_, call) =>
    inWorld(async (world) => {
      const page = await world.open();
      expect(await page.run(() => call(page))).toBeUndefined();
      expect(page.problems.map(({ code }) => code)).toEqual(["input"]);
      expect(world.stored()).toEqual([]);
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

describe("beforeSend", () => {
  type Hook = NonNullable<Config["beforeSend"]>;
  const sentWith = (beforeSend: Hook, run: (page: Page) => Promise<unknown> = (page) => page.track("a", { n: 1 })) => {
    let result: object[] = [];
    let problems: string[] = [];
    return inWorld(async (world) => {
      acceptAll(world);
      const page = await world.open({ accountUid: "acme", beforeSend });
      await run(page);
      result = await bodies(world);
      problems = page.problems.map(({ detail }) => detail);
    }).then(() => ({ sent: result, problems }));
  };
  const whole = { contact_uid: "ann", event_uid: "a", params: { account_uid: "acme", n: 1 } };

  it("is given the event as it would be sent", async () => {
    const given: unknown[] = [];
    await sentWith((event) => void given.push(structuredClone(event)));
    expect(given).toEqual([whole]);
  });
  it.each<[string, Hook, object]>([
    [
      "changes it in place",
      ({ params }) => void Object.assign(params, { n: 2 }),
      { ...whole, params: { account_uid: "acme", n: 2 } },
    ],
    [
      "gives another back",
      (event) => ({ ...event, event_uid: "b", params: {} }),
      { contact_uid: "ann", event_uid: "b", params: {} },
    ],
    ["gives it to another contact", (event) => ({ ...event, contact_uid: "bob" }), { ...whole, contact_uid: "bob" }],
    ["gives nothing back", () => undefined, whole],
  ])("that %s has its way", async (_, hook, event) =>
    expect(await sentWith(hook)).toEqual({ sent: [event], problems: [] }),
  );
  it.each<[string, null | false]>([
    ["null", null],
    ["false", false],
  ])("that gives %s drops it, and nothing else", async (_, nothing) =>
    expect(
      await sentWith(
        (event) => (event.event_uid === "a" ? nothing : event),
        async (page) => {
          await page.track("a");
          await page.track("b");
        },
      ),
    ).toMatchObject({ sent: [{ event_uid: "b" }], problems: [] }),
  );
  it.each<[string, unknown]>([
    [
      "throws after a change",
      (event: { params: object }) => {
        event.params = {};
        throw new Error("the page's own");
      },
    ],
    ["is a promise", async () => null],
    ["gives a number", () => 5],
    ["gives a text", () => "text"],
    ["gives an event without a name", () => ({ params: {} })],
    ["is no function", "text"],
  ])("that %s loses nothing, and is reported", async (_, hook) => {
    const { sent, problems } = await sentWith(hook as Hook);
    expect(sent).toEqual([whole]);
    expect(problems).toEqual([expect.stringContaining("beforeSend")]);
  });
  it("that throws what cannot be written loses nothing", async () =>
    expect(
      (
        await sentWith(() => {
          throw Object.create(null);
        })
      ).sent,
    ).toEqual([whole]));
  it("meets no toJSON that a script of the page has put everywhere", async () => {
    const polluted = Object.prototype as { toJSON?: () => unknown };
    polluted.toJSON = () => "polluted";
    try {
      expect((await sentWith((event) => event)).sent).toEqual([whole]);
    } finally {
      delete polluted.toJSON;
    }
  });
  it("that adds what cannot be written changes nothing, and is reported", async () => {
    const cycle: Record<string, unknown> = {};
    cycle.cycle = cycle;
    const { sent, problems } = await sentWith((event) => void Object.assign(event.params, { cycle }));
    expect({ sent, problems }).toEqual({ sent: [whole], problems: [expect.stringContaining("beforeSend")] });
  });
  it("sees a view's URL without secrets, and after visitUrl", () =>
    inWorld(async (world) => {
      acceptAll(world);
      const seen: unknown[] = [];
      const page = await world.open({
        visitUrl: (url) => `${url}#changed`,
        beforeSend: ({ params }) => void seen.push(params.visit_url),
      });
      await page.run(() => page.tracker.pageview({ visit_url: "https://site.example/?token=s3cr3t" }));
      await bodies(world);
      expect(seen).toEqual(["https://site.example/?token=REDACTED#changed"]);
    }));
});

describe("a page view with a URL of its own", () => {
  const viewed = async (view: (page: Page) => void, config: Partial<Config> = {}): Promise<unknown[]> => {
    let sent: object[] = [];
    await inWorld(async (world) => {
      acceptAll(world);
      const page = await world.open(config);
      await page.run(() => view(page));
      sent = await bodies(world);
    });
    return sent.map((body) => (body as { params: { visit_url: unknown } }).params.visit_url);
  };
  it.each<[string, unknown, unknown]>([
    ["has no secrets", "/a?token=s3cr3t&b=1", "/a?token=REDACTED&b=1"],
    ["may be a URL object", new URL("https://me:pw@site.example/?code=1"), "https://site.example/?code=REDACTED"],
    ["is otherwise as given", "app://screens/home", "app://screens/home"],
    ["is left alone where it is none", 5, 5],
  ])("%s", async (_, given, expected) => {
    expect(await viewed(({ tracker }) => tracker.pageview({ visit_url: given }))).toEqual([expected]);
    expect(await viewed(({ tracker }) => tracker.track("pageview", { visit_url: given }))).toEqual([expected]);
  });
  it("meets visitUrl once, which may drop it", async () => {
    const visitUrl = (url: URL) => (url.pathname === "/admin" ? null : `${url.origin}/x${url.pathname}`);
    const views = await viewed(
      ({ tracker }) => {
        tracker.pageview({ visit_url: "https://site.example/a" });
        tracker.pageview({ visit_url: "/b" });
        tracker.pageview({ visit_url: "/admin" });
      },
      { visitUrl },
    );
    expect(views).toEqual(["https://site.example/x/a", "https://site.example/x/b"]);
  });
  it("is without secrets also where visitUrl throws", async () => {
    const visitUrl = () => {
      throw new Error("the page's own");
    };
    expect(await viewed(({ tracker }) => tracker.pageview({ visit_url: "/?token=s3cr3t" }), { visitUrl })).toEqual([
      "/?token=REDACTED",
    ]);
  });
});

it("debug tells a listener of each decision from then on", () =>
  inWorld(async (world) => {
    world.onRequest = (sent) => void world.clock.add(20, () => sent.answer(sent.name === "bad" ? 401 : 200));
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
    expect(lines).toEqual([
      "identify a",
      "200 before",
      "200 a",
      "dropped hook",
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
      expect(await bodies(world)).toEqual([
        { contact_uid: "bob", event_uid: "a", params: {} },
        { contact_uid: "bob", event_uid: "b", params: {} },
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
      await world.clock.advance(MINUTE);
      world.clock.jump(86_400_000);
      await world.clock.advance(MINUTE);
      expect(world.stored()).toEqual([]);
    }));
});

describe("a configuration that is wrong", () => {
  it.each([{ apiToken: "" }, { trackUrl: "" }, { apiToken: undefined }, { trackUrl: 5 }])(
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

describe("flush", () => {
  it("delivers what waits and counts it", () =>
    inWorld(async (world) => {
      acceptAll(world);
      const page = await world.open();
      for (let index = 0; index < 20; index++) await page.track(`e${index}`);
      expect(await flush(world, page)).toEqual({ delivered: 20, queued: 0, dropped: 0 });
      expect(await flush(world, page)).toEqual({ delivered: 0, queued: 0, dropped: 0 });
    }));
  it("takes over what a page before has left", () =>
    inWorld(async (world) => {
      const before = await world.open({ stamp: true });
      await before.track("a");
      await before.leave();
      before.kill();
      acceptAll(world);
      expect(await flush(world, await world.open())).toMatchObject({ delivered: 1, queued: 0 });
    }));
  it("resolves early while the service asks for rest", () =>
    inWorld(async (world) => {
      const page = await world.open();
      world.onRequest = (sent) => void world.clock.add(20, () => sent.answer(503, 600));
      await page.track("a");
      await world.clock.advance(100);
      let result: FlushResult | undefined;
      await page.run(() => void page.tracker.flush({ timeoutMs: 5_000 }).then((value) => (result = value)));
      await world.clock.advance(400);
      expect(result).toEqual({ delivered: 0, queued: 1, dropped: 0 });
      expect(world.sent.length).toBe(1);
    }));
  it("resolves within its time although nobody answers", () =>
    inWorld(async (world) => {
      const page = await world.open();
      await page.track("a");
      expect(await flush(world, page, 300)).toEqual({ delivered: 0, queued: 1, dropped: 0 });
    }));
});
