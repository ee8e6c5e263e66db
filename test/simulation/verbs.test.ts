/** The verbs of a page: what is sent, whatever arguments and options are. */
import { beforeEach, describe, expect, it, type MockInstance, vi } from "vitest";
import type { Params } from "../../src/types/declared.js";
import type { ChangeListener, Config, DebugListener, Hub, TrackEvent } from "../../src/types.js";
import { ACME, type Act, acme, event, NOBODY, SEE, sentBy, trackA, URL_A } from "./sent-by.js";
import { inStory } from "./story.js";
import { inWorld } from "./world.js";

let warn: MockInstance;
beforeEach(() => {
  warn = vi.spyOn(console, "warn").mockImplementation(() => {});
});

let counted = 0;
const count = () => ({ n: ++counted });

describe("an event", () => {
  it.each<[string, Partial<Config>, Act, unknown[]]>([
    [
      "has the interface's members and nothing else",
      ACME,
      ({ track, pageview }) => [track("signup", { name: "Sign-up" }), pageview({ visit_url: URL_A })],
      [event("ann", "signup", { ...acme, name: "Sign-up" }), event("ann", "pageview", { ...acme, visit_url: URL_A })],
    ],
    [
      "belongs to who was identified when it was tracked, and to the account that it names itself",
      ACME,
      ({ track, identify }) => [track("a"), identify("bob"), track("b"), track("c", { account_uid: "own" })],
      [event("ann", "a", acme), event("bob", "b"), event("bob", "c", { account_uid: "own" })],
    ],
    [
      "keeps the account that it names itself also where its contact comes later",
      NOBODY,
      ({ track, identify }) => [track("a", { account_uid: "own" }), identify("ann", "acme")],
      [event("ann", "a", { account_uid: "own" })],
    ],
    [
      "has the account of the options until identify names another one, whichever comes first",
      { ...NOBODY, params: acme },
      ({ track, identify }) => [track("a"), track("b", acme), identify("ann", "new"), track("c"), track("d", acme)],
      [
        event("ann", "a", { account_uid: "new" }),
        event("ann", "b", acme),
        event("ann", "c", { account_uid: "new" }),
        event("ann", "d", acme),
      ],
    ],
    [
      "has uids as texts, also where they are given as safe integers",
      { contactUid: 7, accountUid: 0 },
      ({ track, identify }) => [track("a"), identify(8, 9), track("b")],
      [event("7", "a", { account_uid: "0" }), event("8", "b", { account_uid: "9" })],
    ],
    [
      "has the members of config.params, over which the account and its own members win",
      { ...ACME, params: { app: "shop", plan: "free", account_uid: "none" } },
      ({ track }) => track("a", { plan: "team" }),
      [event("ann", "a", { app: "shop", plan: "team", ...acme })],
    ],
    [
      "has the members of config.params that an attribute gives",
      { params: '{"app":"text"}' as never },
      ({ track }) => track("a"),
      [event("ann", "a", { app: "text" })],
    ],
    [
      "has the members that config.params, a function, gives at that moment",
      { ...ACME, params: count },
      ({ track, pageview }) => [track("a"), track("b", { n: "own" }), pageview({ visit_url: URL_A })],
      [
        event("ann", "a", { n: 1, ...acme }),
        event("ann", "b", { n: "own", ...acme }),
        event("ann", "pageview", { n: 3, ...acme, visit_url: URL_A }),
      ],
    ],
  ])("%s", async (_, config, act, sent) => expect(await sentBy(config, act)).toEqual({ sent, told: [] }));

  it("keeps its stamp on every attempt: a UUID, although no page here has crypto.randomUUID, as on plain http", () =>
    inStory(async ({ tell, world }) => {
      await tell("weather 0 503 200; A opens stamped");
      const occurred_at = world.clock.wall();
      await tell("A tracks a; 60 s; sent a a a");
      const [first, ...again] = world.sent.map(({ body }) => JSON.parse(body).params);
      const [event_id, event_source] = [expect.any(String), expect.any(String)];
      expect(first).toEqual({ event_id, occurred_at, event_seq: 1, event_source });
      expect(first.event_id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      expect(again).toEqual([first, first]);
    }));

  it("goes without a stamp where the page gives one of its members itself, in the call, the options or the hook", async () => {
    const own: Params = { event_id: "T-42" };
    const bodies = async (config: Partial<Config>, act: Act): Promise<unknown[]> =>
      (await sentBy({ stamp: true, ...config }, act)).sent.map((sent) => (sent as TrackEvent).params);
    const add = (given: TrackEvent): TrackEvent => ({ ...given, params: { ...given.params, ...own } });
    const track: Act = (tracker) => tracker.track("a");
    expect(await bodies({}, (tracker) => tracker.track("a", own))).toEqual([own]);
    expect(await bodies({ params: own }, track)).toEqual([own]);
    expect(await bodies({ beforeSend: add }, track)).toEqual([own]);
    // The hook sees an event again when it gets its contact, and never the stamp.
    const seen: unknown[] = [];
    const late = (event: TrackEvent, { again }: { again: boolean }) => {
      seen.push(event.params);
      return again ? add(event) : event;
    };
    const login: Act = ({ track, identify }) => [track("a"), identify("ann")];
    expect([await bodies({ ...NOBODY, beforeSend: late }, login), seen]).toEqual([[own], [{}, {}]]);
    const mixed = await bodies({}, ({ track }) => [track("a"), track("b", own), track("c")]);
    expect(mixed.map((params) => (params as { event_seq?: number }).event_seq)).toEqual([1, undefined, 1]);
    const { told } = await sentBy({ stamp: true }, (tracker) => tracker.track("a", own));
    expect(told).toEqual(["input stamp: params.event_id"]);
    expect(await bodies({ stamp: undefined }, track)).toEqual([expect.objectContaining({ event_seq: 1 })]);
    expect(await bodies({ stamp: "false" as never }, track)).toEqual([{}]);
  });

  it("numbers the events of two people in one document apart, and leaves no gap at a log-in, a log-out, a refusal", async () => {
    const { sent } = await sentBy({ ...NOBODY, stamp: true }, ({ track, identify, reset, optOut, optIn }) => [
      track("a"),
      identify("ann"),
      track("b"),
      reset(),
      track("out"),
      identify("bob"),
      track("c"),
      optOut(),
      track("denied"),
      optIn(),
      identify("bob"),
      track("d"),
      track("e"),
    ]);
    const stamps = sent.map((one) => (one as TrackEvent).params as { event_source: string; event_seq: number });
    const seqs = new Map<string, number[]>();
    for (const { event_source, event_seq } of stamps)
      seqs.set(event_source, [...(seqs.get(event_source) ?? []), event_seq]);
    for (const numbers of seqs.values()) expect(numbers.toSorted()).toEqual(numbers.map((_, index) => index + 1));
    const sources = (contact: string) =>
      sent.flatMap((one, at) => ((one as TrackEvent).contact_uid === contact ? [stamps[at]!.event_source] : []));
    expect(sources("ann").filter((source) => sources("bob").includes(source))).toEqual([]);
  });

  it("has a number in its document, without gaps, whatever hooks track, drop and change, and a page that comes back begins anew", () =>
    inWorld(async (world) => {
      const beforeSend = ({ event_uid, params }: TrackEvent) => {
        if (event_uid === "no") track("instead");
        if (event_uid === "b") track("of b");
        return event_uid !== "no" && { event_uid, contact_uid: "ann", params };
      };
      const page = await world.open({ stamp: true, beforeSend, onError: () => track("of an error") });
      const { track, optIn, optOut } = page.tracker;
      const big = { n: 5n as never };
      await page.run(() => [optOut(), track("denied"), optIn(), track("a", big), track("no"), track("b")]);
      await world.clock.advance(1_000);
      expect(world.names()).toEqual(["of an error", "a", "instead", "of b", "b"]);
      await page.freeze();
      await page.restore();
      await page.track("c");
      await world.clock.advance(1_000);
      const params = world.sent.map(({ body }) => JSON.parse(body).params);
      expect(params.map(({ event_seq }) => event_seq)).toEqual([1, 2, 3, 4, 5, 1]);
      expect(new Set(params.map(({ event_source }) => event_source)).size).toBe(2);
    }));
});

describe("no verb throws, and the event still goes", () => {
  it.each<[string, Act, string]>([
    ["track()", ({ track }) => track(undefined as unknown as string), "track: eventUid"],
    ["identify()", ({ identify }) => identify(undefined as never), "identify: contactUid"],
    ["pageview(5)", ({ pageview }) => pageview(5 as never), "pageview: params"],
    ["track(a, { n: 5n })", ({ track }) => track("a", { n: 5n as never }), "track a: params.n"],
  ])("%s is reported by verb and argument, once to the console", async (_, act, detail) => {
    const { sent, told } = await sentBy({}, (tracker) => {
      expect([act(tracker), act(tracker)]).toEqual([undefined, undefined]);
      tracker.track("next");
    });
    expect([told, warn.mock.calls]).toEqual([Array(2).fill(`input ${detail}`), [[`tracklet: ${detail}`, ...SEE]]]);
    expect(sent.at(-1)).toEqual(event("ann", "next"));
  });
  const broken = () => {
    throw new Error("not ready");
  };
  it.each(["text", '{"no":JSON}', 5, broken, () => {}, () => []])("with %s for config.params", async (params) =>
    expect(await sentBy({ params: params as never }, trackA)).toEqual({
      sent: [event("ann", "a", { n: 1 })],
      told: ["input init: params"],
    }),
  );
  it("in flush(null)", () =>
    sentBy({}, async ({ flush }) =>
      expect(flush(null as never)).resolves.toEqual({ delivered: 0, queued: 0, dropped: 0 }),
    ));
  it.each([true, false])(
    "where the page has broken fetch, sendBeacon and the storage (keepalive: %s)",
    (canKeepAlive) =>
      inWorld(async (world) => {
        world.storage.isDenied = true;
        const page = await world.open({ canKeepAlive, isHidden: true });
        const { onRequest } = world;
        world.onRequest = () => {
          throw new Error("hostile");
        };
        await page.track("a");
        await page.leave();
        world.onRequest = onRequest;
        await page.restore();
        await world.clock.advance(60_000);
        expect(world.names()).toContain("a");
      }),
  );
});

describe("a configuration", () => {
  it.each<[Partial<Config>, string]>([
    [{ apiToken: "" }, "init: apiToken, trackUrl"],
    [{ trackUrl: "" }, "init: apiToken, trackUrl"],
    [{ trackUrl: "https://[" }, "init: apiToken, trackUrl"],
  ])("%j sends nothing anywhere, which is said; the events wait until it is right", (wrong, detail) =>
    inStory(async ({ tell, open, act, world }) => {
      const page = await open(wrong);
      await act(page, "tracks");
      await tell("60 s; requests 0; waiting e1");
      expect([warn.mock.calls, page.problems.map((problem) => problem.detail)]).toEqual([
        [[`tracklet: ${detail}`, ...SEE]],
        [detail],
      ]);
      await act(page, "leaves");
      await tell("A opens; 60 s; once");
      expect(world.sent[0]!.url).toBe("https://track.example/v1/track/event?api_token=token");
    }),
  );
  it("whose options are wrong is named, and holds on the safe side", () =>
    inStory(async ({ tell, page, world }) => {
      await tell("A opens consent=grantd maxEvents=1.000; A told input init: consent; A tracks; 60 s; requests 0");
      expect([page("A").tracker.consent(), world.stored()]).toEqual(["pending", []]);
    }));
  it("that is put right delivers what waited", () =>
    inStory(async ({ tell, service }) => {
      service.rule = ({ url }) => [url.endsWith("api_token=right") ? 200 : 401];
      await tell(`A opens apiToken=wrong; A tracks; 60 s; A leaves
        B opens nobody apiToken=right formerToken=wrong; B tracks; 60 s; once; waiting ; owners ann x2`);
    }));
});

it("no line of the console has anything of a contact, an account or params, whatever is wrong", () =>
  inWorld(async (world) => {
    world.onRequest = ({ name, answer }) => void world.clock.add(20, () => answer(name === "bad" ? 400 : 200));
    const person = "ann@mail.test";
    const page = await world.open({
      contactUid: person,
      accountUid: person,
      params: person as never,
      consent: person as never,
      maxEvents: 20,
      beforeSend: ({ event_uid }) => (event_uid === "read" ? JSON.parse(person) : undefined),
    });
    const { track, identify, optIn, pageview } = page.tracker;
    await page.run(() => {
      optIn();
      identify({ person } as never);
      identify(person, { person } as never);
      identify(person, person, { proof: person });
      track({ person } as unknown as string);
      track("a", person as never);
      track("b", { person, n: 5n as never });
      track("c", { event_id: person } as never);
      track("d", { person: person.repeat(30_000) });
      track("read", { person });
      pageview(person as never);
    });
    for (let n = 0; n < 50; n++) await page.run(() => track(n % 10 ? "loop" : "bad", { person }));
    await world.clock.advance(60_000);
    await page.run(() => track("loop"));
    world.onRequest = ({ answer }) => void world.clock.add(20, () => answer(401));
    for (let n = 0; n < 8; n++) await page.run(() => track(`${n}`, { person }));
    await world.clock.advance(600_000);
    const codes = ["evicted", "input", "paused", "rejected", "throttled"];
    expect([...new Set(page.problems.map(({ code }) => code))].sort()).toEqual(codes);
    expect(warn.mock.calls.length).toBeGreaterThan(10);
    expect(`${warn.mock.calls}`).not.toMatch(/ann|mail/);
  }));

it("debug tells a listener of each decision from then on, after the options", () =>
  inWorld(async (world) => {
    world.onRequest = (sent) => void world.clock.add(20, () => sent.answer(sent.name === "bad" ? 401 : 200));
    const page = await world.open({ ...NOBODY, beforeSend: ({ event_uid }) => event_uid !== "drop" && undefined });
    const { track, identify, optOut, debug } = page.tracker;
    const lines: string[] = [];
    track("before");
    const listen: DebugListener = (code, detail) =>
      lines.push(`${code} ${/event_uid":"(\w+)/.exec(detail)?.[1] ?? detail}`);
    debug(listen);
    await page.run(() => [track("a"), identify("ann")]);
    await world.clock.advance(100);
    await page.run(() => [track("drop"), track("bad"), track("bad")]);
    await world.clock.advance(100);
    await page.run(() => [optOut(), track("b")]);
    const undecided = await world.open({ name: "other", consent: "pending" });
    await undecided.run(() => [undecided.tracker.debug(listen), undecided.tracker.track("c")]);
    expect(lines.filter((line) => !line.startsWith("options"))).toEqual([
      "queued a",
      "200 before",
      "200 a",
      "dropped beforeSend",
      "queued bad",
      "queued bad",
      "401 bad",
      "401 bad",
      "paused status 401",
      "dropped consent",
      "pending c",
    ]);
  }));

it("onChange tells each listener what holds, at once and after each change, in whichever tab", () =>
  inWorld(async (world) => {
    const told: string[] = [];
    const listen =
      (name: string) =>
      (...[consent, identity]: Parameters<ChangeListener>) =>
        void told.push([name, consent, ...identity].join(" "));
    const { run, tracker } = await world.open({ ...NOBODY, consent: "pending", onChange: listen("option") });
    const other = await world.open({ ...NOBODY, consent: "pending" });
    const failing = () => JSON.parse("the page's own");
    const hub = other.window.tracklet as Hub;
    await other.run(() => hub.push(["onChange", failing], ["onChange", "text"], ["onChange", listen("push")]));
    const expectNext = async (act: () => unknown, lines: string[]) => {
      await run(act);
      await world.clock.advance(100);
      expect(told.splice(0)).toEqual(lines);
    };
    const problem = (error: string) => [expect.stringMatching(`tracklet: onChange: ${error}`), ...SEE];
    expect(warn.mock.calls).toEqual(["SyntaxError", "TypeError"].map(problem));
    await expectNext(() => {}, ["option pending", "push pending"]);
    await expectNext(() => tracker.identify("ann", "acme"), ["option pending ann acme"]);
    await expectNext(() => tracker.optIn(), ["option granted ann acme", "push granted ann acme"]);
    await expectNext(() => [tracker.identify("ann", "acme"), tracker.optIn(), tracker.track("a")], []);
    await expectNext(() => tracker.reset(), ["option granted", "push granted"]);
    await expectNext(() => tracker.reset(), ["option granted", "push granted"]);
    await expectNext(() => tracker.optOut(), ["option denied", "push denied"]);
  }));
