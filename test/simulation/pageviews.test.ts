/** Which views are counted, and when, by the Navigation API and where that is missing. */
import { expect, it } from "vitest";
import type { Config, Tracker } from "../../src/types.js";
import type { Opening } from "./page.js";
import { createEvent } from "./target.js";
import { inWorld, type Page } from "./world.js";

/** So long a URL stands before it is judged, and the rest of the frame in which its request begins. */
const STANDS_MS = 300;

/** An action of the browser or a verb, and a URL or a uid. */
const walk = (page: Page, action: string, argument = ""): Promise<unknown> => {
  const { history, location, navigation } = page.window as unknown as Window & { navigation?: EventTarget };
  const tell = (navigationType: string | null) =>
    navigation?.dispatchEvent(createEvent("currententrychange", { navigationType }));
  const jump = (kind: string) => {
    location.href = new URL(argument, location.href).href;
    tell(kind);
    page.window.dispatchEvent(createEvent("popstate"));
  };
  const acts: Record<string, () => unknown> = {
    push: () => [history.pushState({}, "", argument), tell("push")],
    replace: () => [history.replaceState({}, "", argument), tell("replace")],
    traverse: () => jump("traverse"),
    // A link to a fragment: a push that fires popstate, too.
    fragment: () => jump("push"),
    // navigation.updateCurrentEntry(), which changes an entry's state alone.
    update: () => tell(null),
    // navigation.reload(), which a router has intercepted.
    reload: () => tell("reload"),
    pageview: () => page.tracker.pageview(argument ? { visit_url: argument } : undefined),
  };
  if (action in acts) return page.run(() => void acts[action]!());
  if (action === "restore") return page.freeze().then(() => page.restore());
  if (action === "hide" || action === "show" || action === "leave") return page[action]();
  return page.run(() => void (page.tracker[action as keyof Tracker] as (argument: string) => unknown)(argument));
};

/** Options, whether it was opened in the background, and whether each step is given the time to be judged. */
type Visit = { config?: Partial<Config>; isHidden?: boolean; isSlow?: boolean };

/** What a visit to `/a` counts, by path, with the other events by name, and with the contact unless that is Ann. */
const count = async (canNavigate: boolean, steps: string, { config = {}, isHidden = false, isSlow = true }: Visit) => {
  let counted = "";
  await inWorld(async (world) => {
    const page = await world.open({ pageviews: "auto", ...config, isHidden, canNavigate });
    if (isSlow) await world.clock.advance(STANDS_MS);
    for (const [action, argument] of steps.split("; ").map((step) => step.split(" ") as [string, string?])) {
      if (action === "wait") await world.clock.advance(Number(argument ?? STANDS_MS));
      else if (action) await walk(page, action, argument);
      if (isSlow) await world.clock.advance(STANDS_MS);
    }
    await world.clock.advance(60_000);
    const told = world.sent.map(({ body }) => {
      const { contact_uid, event_uid, params } = JSON.parse(body);
      const what = event_uid === "pageview" ? params.visit_url.replace("https://site.example", "") : event_uid;
      return contact_uid === "ann" ? what : `${contact_uid}:${what}`;
    });
    counted = told.join(" ");
  });
  return counted;
};
type Case = [what: string, steps: string, counted: string];
/** Each case by both ways; those that fail are listed. */
const expectAll = async (cases: Case[], visit: Visit = {}): Promise<void> => {
  const wrong: string[] = [];
  for (const canNavigate of [true, false])
    for (const [what, steps, expected] of cases) {
      const counted = await count(canNavigate, steps, visit);
      if (counted !== expected) wrong.push(`${what}, ${canNavigate ? "told" : "wrapped"}: ${counted}`);
    }
  expect(wrong.join("\n")).toBe("");
};
const FAST: Visit = { isSlow: false };

it("a view is another URL than the last one, whatever its fragment; of a replacement, another path", () =>
  expectAll([
    ["the first load", "", "/a"],
    ["pushes", "push /b; push /b?page=1; push /c", "/a /b /b?page=1 /c"],
    ["pushes to the same URL", "push /b; push /b; push b", "/a /b"],
    ["traversals", "push /b; traverse /a; traverse /b", "/a /b /a /b"],
    ["replacements of the path", "replace /b; replace /c?page=1", "/a /b /c?page=1"],
    ["replacements of the query", "replace /a?page=1; replace /a?page=2; replace /a", "/a"],
    ["fragments", "fragment #top; push /a#end; replace /a#x; traverse /a#top", "/a"],
    ["a replaced query, then away and back", "replace /a?page=1; push /b; traverse /a?page=1", "/a /b /a?page=1"],
    ["a fragment of a replaced query", "replace /a?page=1; fragment #top; traverse /a?page=1", "/a"],
    ["a push to a replaced query", "replace /a?page=1; push /a?page=1", "/a"],
    ["a push back from a replaced query", "replace /a?page=1; push /a", "/a /a"],
    ["an update of the entry's state", "update; replace /a?page=1; update; push /b", "/a /b"],
    ["an intercepted reload", "reload; push /b; reload; push /c", "/a /b /c"],
  ]));

it("a URL is judged once it has stood for 250 ms, by the strongest of the moves", () =>
  expectAll(
    [
      ["a redirect on load", "replace /b", "/b"],
      ["a redirect after a push", "wait; push /old; replace /new", "/a /new"],
      ["a query replaced after a push", "wait; push /a?page=1; replace /a?page=2", "/a /a?page=1"],
      ["a push that is tidied to the URL before", "wait; push /a?page=1; replace /a", "/a /a?page=1"],
      ["a push after a push", "wait; push /b?page=1; push /b?page=2", "/a /b?page=2"],
      ["a landing that is tidied", "wait; replace /b?page=1; replace /b; track x", "/a /b?page=1 x"],
      ["a push within the path of a redirect on load", "replace /b?page=1; push /b; pageview", "/b?page=1"],
      ["a landing whose path is left and taken again", "replace /b?page=1; replace /c; replace /b", "/b"],
      ["a way that is blocked", "wait; push /b; traverse /a", "/a"],
      ["a router's replacement within its popstate", "wait; traverse /b; replace /b", "/a /b"],
      ["what is no view puts nothing off", "wait 200; replace /a?page=1; fragment #x; wait 60; replace /b", "/a /b"],
      ["less than that", "wait; push /b; wait 240; push /c", "/a /c"],
      ["as long as that", "wait; push /b; wait 251; push /c", "/a /b /c"],
      ["one after the other", "wait; push /b; wait 200; push /c; wait 200; push /d", "/a /d"],
    ],
    FAST,
  ));

it("it is judged at once before what belongs to it, and when the page goes out of sight", () =>
  expectAll(
    [
      ["track", "push /b; track x; push /c", "/b x /c"],
      ["flush", "push /b; flush; push /c", "/b /c"],
      ["a view of another URL", "pageview app://x; push /b", "/a app://x /b"],
      ["hide", "wait; push /b; hide; push /c; show", "/a /b /c"],
      ["leave", "wait; push /b; leave", "/a /b"],
    ],
    FAST,
  ));

it("it belongs to whoever is named then, and a pageview() of the page stands for it", () =>
  expectAll(
    [
      ["identify", "identify bob; push /b", "bob:/b"],
      ["pageview", "pageview", "/a"],
      ["pageview after a push", "wait; push /b; pageview; wait; push /b", "/a /b"],
      ["pageview twice", "pageview; pageview", "/a /a"],
    ],
    FAST,
  ));

it("each activation begins anew: a restore counts the same URL again", async () => {
  await expectAll([
    ["restores", "restore; restore; push /a", "/a /a /a"],
    ["a restore with what was replaced", "replace /a?page=1; restore", "/a /a?page=1"],
  ]);
  for (const pageviews of ["auto", "hash"] as const)
    await expectAll([[`popstate after it (${pageviews})`, "wait; restore; traverse /a", "/a /a"]], {
      ...FAST,
      config: { pageviews },
    });
});

it("a page out of sight counts when it is seen", async () => {
  await expectAll([
    ["moves of a seen page", "hide; push /b; push /c; show", "/a /c"],
    ["a seen page that comes and goes", "hide; show; hide; show", "/a"],
    ["moves of a seen page that is left", "hide; push /b; leave", "/a /b"],
  ]);
  await expectAll(
    [
      ["one never seen", "push /b; replace /c; leave", ""],
      ["its URL once it is seen", "push /b; push /c; show", "/c"],
      ["as any page afterwards", "show; push /a; push /b; hide; show", "/a /b"],
    ],
    { isHidden: true },
  );
});

it("where fragments route, they count, but no query that is replaced, and the first route is no route", () =>
  expectAll(
    [
      ["links to fragments", "fragment #/b; fragment #/c; traverse /a#/b", "/a /a#/b /a#/c /a#/b"],
      ["pushed fragments", "push #/b; push #/b; push #/b?page=1", "/a /a#/b /a#/b?page=1"],
      ["replaced fragments", "replace #/b; replace #/c; replace #/c?page=1", "/a /a#/b /a#/c"],
      ["replaced queries", "push /a#/b?page=1; replace /a?tab=1#/b?page=2", "/a /a#/b?page=1"],
      ["the first route", "replace /a#/; replace /a#!/; fragment #; push /a#/b", "/a /a#/b"],
      ["pushes to the first route", "push /a#/; push /a#!/; push /a#; push /a#!", "/a"],
      ["queries of the first route", "replace /a#/?page=1; replace /a#?page=1; replace /a#!?page=1", "/a"],
      ["a route and a path alike", "push /ab; replace /a#/b", "/a /ab /a#/b"],
      ["no fragment on the way back", "push /b; traverse /a", "/a /b /a"],
    ],
    { config: { pageviews: "hash" } },
  ));

it("with pageviews off, only pageview() counts", () =>
  expectAll([["off", "push /b; pageview; hide", "/b"]], { config: { pageviews: "off" } }));

const CAME_FROM = "https://search.example/find/4f2a9c81d7?q=s3cr3t&page=2";
it.each<[what: string, opening: Opening, referrers: (string | undefined)[]]>([
  ["without its secrets", {}, ["https://search.example/find/REDACTED?q=REDACTED&page=2", undefined, undefined]],
  ["by pageview()", { pageviews: "off" }, ["https://search.example/find/REDACTED?q=REDACTED&page=2"]],
  [
    "as the options say",
    { query: "none", paths: "keep" },
    ["https://search.example/find/4f2a9c81d7", undefined, undefined],
  ],
  [
    "unless the page names its own",
    { params: { referrer: "mine" } },
    ["https://search.example/find/REDACTED?q=REDACTED&page=2", "mine", "mine"],
  ],
  ["only where it is asked to", { referrer: false }, [undefined, undefined, undefined]],
  ["only of another site", { cameFrom: "https://site.example/b" }, [undefined, undefined, undefined]],
  ["only where there is one", { cameFrom: "" }, [undefined, undefined, undefined]],
])("the first view of a document tells where the visitor came from: %s", (_, opening, referrers) =>
  inWorld(async (world) => {
    const page = await world.open({ pageviews: "auto", referrer: true, cameFrom: CAME_FROM, ...opening });
    for (const [action, argument] of [["flush"], ["push", "/b"], ["restore"]] as const) {
      await walk(page, opening.pageviews === "off" && action === "flush" ? "pageview" : action, argument);
      await world.clock.advance(STANDS_MS);
    }
    expect(world.sent.map(({ body }) => JSON.parse(body).params.referrer)).toEqual(referrers);
  }),
);
