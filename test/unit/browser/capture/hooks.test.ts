/** The hooks of the page: beforeSend, and visitUrl for a URL of the caller. */
import { describe, expect, it } from "vitest";
import type { Config } from "../../../../src/types.js";
import { inWorld, type Page } from "../../../simulation/world.js";
import { acceptAll, anonymous, bodies, identify, MINUTE } from "../../../support/verbs.js";

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
      problems = page.problems.map(({ code, detail }) => `${code} ${detail}`);
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
    [
      "gives its members back in another order, and one more",
      ({ params, ...rest }) => ({ extra: 1, params, ...rest }),
      whole,
    ],
  ])("that %s has its way", async (_, hook, event) =>
    expect(await sentWith(hook)).toEqual({ sent: [event], problems: [] }),
  );
  it.each<[string, Hook]>([
    ["puts it in front", (event) => ({ contact_uid: "bob", ...event })],
    ["puts it at the end", (event) => ({ ...event, contact_uid: "bob" })],
    ["sets it in place", (event) => void Object.assign(event, { contact_uid: "bob" })],
  ])("that knows the contact where nobody is identified: %s", (_, beforeSend) =>
    inWorld(async (world) => {
      acceptAll(world);
      const page = await world.open({ ...anonymous, beforeSend });
      await page.track("a");
      expect(await bodies(world)).toEqual([{ contact_uid: "bob", event_uid: "a", params: {} }]);
    }),
  );
  it("that adds a member where nobody is identified leaves the event waiting for its contact", () =>
    inWorld(async (world) => {
      acceptAll(world);
      const page = await world.open({ ...anonymous, beforeSend: (event) => ({ context: 1, ...event }) });
      await page.track("a");
      expect(await bodies(world)).toEqual([]);
      await identify(page, "ann");
      expect(await bodies(world)).toEqual([{ contact_uid: "ann", event_uid: "a", params: {} }]);
    }));
  it("that leaves no params leaves an event without any, which survives its page", () =>
    inWorld(async (world) => {
      const first = await world.open({
        beforeSend: ({ contact_uid, event_uid }) => ({ contact_uid, event_uid }) as never,
      });
      await first.track("a");
      expect(first.problems).toEqual([]);
      first.kill();
      acceptAll(world);
      const second = await world.open();
      await world.clock.advance(MINUTE);
      expect(world.sent.map(({ page, name }) => [page, name])).toEqual([[second, "a"]]);
    }));
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
    [
      "throws nothing at all",
      () => {
        throw undefined;
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
    expect(problems).toEqual([expect.stringContaining("input beforeSend: ")]);
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
    const { sent, problems } = await sentWith((event) => void Object.assign(event.params, { cycle, n: 2 }));
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
    ["may be a URL object", new URL("https://me:pw@site.example/?token=1"), "https://site.example/?token=REDACTED"],
    ["is otherwise as given", "app://screens/home", "app://screens/home"],
    ["is left alone where it is none", 5, 5],
  ])("%s", async (_, given, expected) => {
    expect(await viewed(({ tracker }) => tracker.pageview({ visit_url: given }))).toEqual([expected]);
    expect(await viewed(({ tracker }) => tracker.track("pageview", { visit_url: given }))).toEqual([expected]);
  });
  it("has no secrets beside params as deep as they may be", async () => {
    const deep = JSON.parse(`${"[".repeat(63)}${"]".repeat(63)}`);
    const view = { visit_url: "/?token=s3cr3t", deep };
    expect(await viewed(({ tracker }) => tracker.pageview(view))).toEqual(["/?token=REDACTED"]);
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
  it.each<[string, (url: URL) => undefined | false, string[]]>([
    [
      "by giving nothing back after a change",
      (url) => void url.searchParams.delete("b") as undefined,
      ["https://site.example/a"],
    ],
    ["by giving nothing back", () => undefined, ["https://site.example/a?b=1"]],
    ["by giving false back, which drops it", () => false, []],
  ])("meets visitUrl %s", async (_, visitUrl, views) =>
    expect(
      await viewed(({ tracker }) => tracker.pageview({ visit_url: "https://site.example/a?b=1" }), { visitUrl }),
    ).toEqual(views),
  );
  it("is without secrets also where visitUrl throws", async () => {
    const visitUrl = () => {
      throw new Error("the page's own");
    };
    expect(await viewed(({ tracker }) => tracker.pageview({ visit_url: "/?token=s3cr3t" }), { visitUrl })).toEqual([
      "/?token=REDACTED",
    ]);
  });
});
