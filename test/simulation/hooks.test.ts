/** What changes an event before it is sent: the hook of a page, and the rule of URLs in front of it. */
import { beforeEach, describe, expect, it, type MockInstance, vi } from "vitest";
import type { Config } from "../../src/types.js";
import { ACME, type Act, acme, event, NOBODY, SEE, sentBy, trackA, URL_A } from "./sent-by.js";
import { inStory } from "./story.js";
import { inWorld } from "./world.js";

let warn: MockInstance;
beforeEach(() => {
  warn = vi.spyOn(console, "warn").mockImplementation(() => {});
});

describe("beforeSend", () => {
  type Hook = NonNullable<Config["beforeSend"]>;
  const whole = event("ann", "a", { ...acme, n: 1 });
  const sentWith = (beforeSend: unknown, act = trackA) => sentBy({ ...ACME, beforeSend: beforeSend as Hook }, act);

  it.each<[string, Hook, object?]>([
    ["changes it in place", ({ params }) => void Object.assign(params, { n: 2 }), { params: { ...acme, n: 2 } }],
    ["gives another back", (given) => ({ ...given, event_uid: "b", params: {} }), { event_uid: "b", params: {} }],
    ["gives it to another contact", (given) => ({ ...given, contact_uid: "bob" }), { contact_uid: "bob" }],
    ["is given what would be sent, and gives nothing back", (given) => void expect({ ...given }).toEqual(whole), {}],
    ["gives its members in another order, and one more", ({ params, ...rest }) => ({ extra: 1, params, ...rest }), {}],
    ["gives null", () => null],
    ["gives false", () => false],
  ])("that %s has its way", async (_, hook, changes) =>
    expect(await sentWith(hook)).toEqual({ sent: changes ? [{ ...whole, ...changes }] : [], told: [] }),
  );

  it("that knows the contact where nobody is identified gives it", async () => {
    const beforeSend: Hook = (given) => ({ ...given, contact_uid: "bob" });
    expect((await sentBy({ ...NOBODY, beforeSend }, trackA)).sent).toEqual([event("bob", "a", { n: 1 })]);
  });
  const fail = (reason: unknown) => () => {
    throw reason;
  };
  it.each<[string, unknown]>([
    ["throws after a change", (given: object) => JSON.parse(`no ${delete (given as { params?: object }).params}`)],
    ["throws nothing at all", fail(undefined)],
    ["throws what cannot be written", fail(Object.create(null))],
    ["is a promise", async () => null],
    ["gives a number", () => 5],
    ["gives a text", () => "text"],
    ["gives an event without a name", () => ({ params: {} })],
    ["is no function", "text"],
    [
      "adds what cannot be written",
      ({ params }: { params: Record<string, unknown> }) => void Object.assign(params, { n: 2, params }),
    ],
  ])("that %s drops the event, which is told each time, and once to the console", async (_, hook) => {
    const told = Array(2).fill(expect.stringMatching("^input beforeSend: "));
    expect(await sentWith(hook, (tracker) => [trackA(tracker), trackA(tracker)])).toEqual({ sent: [], told });
    expect(warn.mock.calls).toEqual([[expect.any(String), ...SEE]]);
  });

  it("sees an event from before identify once more, with its contact, where that is added, but never without its stamp", () =>
    inWorld(async (world) => {
      const seen: unknown[] = [];
      const beforeSend: Hook = ({ event_uid, contact_uid, params }, { again }) => {
        const { account_uid, identity_proof } = params;
        seen.push([event_uid, again, contact_uid, account_uid, identity_proof].join());
        return !(again && event_uid === "gone") && { event_uid, contact_uid, params: { again } };
      };
      const before = await world.open(NOBODY);
      await before.track("other");
      before.kill();
      const { run, tracker } = await world.open({ ...NOBODY, stamp: true, beforeSend });
      await run(() => [tracker.track("a"), tracker.track("gone"), tracker.identify("ann", "acme", { proof: "1.x" })]);
      await world.clock.advance(60_000);
      const [ann, stamp] = ["true,ann,acme,1.x", { event_source: expect.any(String), event_seq: 1 }];
      expect(seen).toEqual(["a,false,,,", "gone,false,,,", `a,${ann}`, `gone,${ann}`, `other,${ann}`]);
      const sent = Object.fromEntries(world.sent.map(({ body, name }) => [name, JSON.parse(body).params]));
      expect(sent).toEqual({ a: expect.objectContaining({ again: true, ...stamp }), other: { again: true } });
    }));
  it.each<[string, Act, string[]]>([
    ["tracks", ({ track }) => track("b"), ["a", "b"]],
    ["identifies", ({ identify }) => identify("bob"), ["a"]],
    ["refuses", ({ optOut }) => optOut(), []],
  ])("that %s when it sees an event once more ends", (_, act, names) =>
    inWorld(async (world) => {
      const beforeSend: Hook = (_, { again }) => void (again && act(page.tracker));
      const page = await world.open({ ...NOBODY, beforeSend });
      await page.run(() => [page.tracker.track("a"), page.tracker.identify("ann")]);
      await world.clock.advance(60_000);
      expect(world.names().sort()).toEqual(names);
      expect(world.stored()).toEqual([]);
    }),
  );
});

describe("a page view with a URL of its own", () => {
  const viewed = async (visit_url: unknown, config: Partial<Config> = {}, more = {}): Promise<unknown[]> => {
    const { sent } = await sentBy(config, ({ pageview, track }) => {
      pageview({ visit_url, ...more });
      track("pageview", { visit_url, ...more });
    });
    const urls = sent.map((body) => (body as { params: { visit_url: unknown } }).params.visit_url);
    // Whoever tracks it.
    expect(urls[0]).toEqual(urls[1]);
    return urls.slice(1);
  };
  it("is stored without its secrets", () =>
    inStory(async ({ tell, world }) => {
      await tell('weather silent; A opens; A tracks pageview {"visit_url":"/a?token=s3cr3t"}');
      expect(Object.values(world.storage.latest()).filter((row) => row.includes("s3cr3t"))).toEqual([]);
      expect(world.stored()).toEqual(["pageview"]);
    }));
  const deep = JSON.parse(`${"[".repeat(63)}${"]".repeat(63)}`);
  it.each<[string, unknown, unknown[], Partial<Config>?, object?]>([
    ["has no secrets", "/a?token=s3cr3t&page=1", ["/a?token=REDACTED&page=1"]],
    ["has none beside params as deep as they may be", "/?token=s3cr3t", ["/?token=REDACTED"], {}, { deep }],
    ["may be a URL object", new URL("https://me:pw@site.example/?token=x1"), ["https://site.example/?token=REDACTED"]],
    ["keeps the parameters that query names", "/a?b=1&c=2", ["/a?b=1&c=REDACTED"], { query: "b" }],
    ["is otherwise as given", "app://screens/home", ["app://screens/home"]],
    ["is a text, whatever was given", ["/?token=x1", 5], ["/?token=REDACTED"]],
    [
      "reaches beforeSend without secrets",
      `${URL_A}?token=s3cr3t`,
      [`${URL_A}?token=REDACTED#changed`],
      { beforeSend: ({ params }) => void Object.assign(params, { visit_url: `${params.visit_url}#changed` }) },
    ],
  ])("%s", async (_, given, urls, config, more) => expect(await viewed(given, config, more)).toEqual(urls));
});
