import { Window } from "happy-dom";
import { afterEach, describe, expect, it, vi } from "vitest";
import { watchPageviews } from "../../../../src/browser/capture/pageviews.js";

const SITE = "https://shop.test";

type Step = readonly [
  action: "push" | "replace" | "traverse" | "fragment" | "hide" | "show" | "restore" | "update",
  to?: string,
];

/** The page's window: a new one each time, because what listens to it is never taken off. */
const openWindow = (path: "navigation" | "wrapping") => {
  const page = new Window({ url: `${SITE}/a` });
  if (path === "navigation") {
    // As browsers do: the event comes after the location has changed, before the caller of `pushState` goes on.
    const navigation = Object.assign(new page.EventTarget(), { currentEntry: {} });
    const change = (navigationType: string | null) =>
      navigation.dispatchEvent(Object.assign(new page.Event("currententrychange"), { navigationType }));
    for (const kind of ["push", "replace"] as const) {
      const native = page.history[`${kind}State`].bind(page.history);
      page.history[`${kind}State`] = (...args) => {
        native(...args);
        change(kind);
      };
    }
    for (const kind of ["push", "traverse", "update"])
      page.addEventListener(`test-${kind}`, () => change(kind === "update" ? null : kind));
    Object.assign(page, { navigation });
  }
  for (const name of ["document", "history", "location", "History"] as const) vi.stubGlobal(name, page[name]);
  vi.stubGlobal("window", page);
  return page;
};

const walk = (page: Window, [action, to = ""]: Step): void => {
  const fire = (type: string) => page.dispatchEvent(new page.Event(type));
  const setHidden = (value: boolean) => {
    Object.defineProperty(page.document, "hidden", { value, configurable: true });
    page.document.dispatchEvent(new page.Event("visibilitychange"));
  };
  const acts = {
    push: () => page.history.pushState({}, "", to),
    replace: () => page.history.replaceState({}, "", to),
    traverse: () => {
      page.happyDOM.setURL(SITE + to);
      fire("test-traverse");
      fire("popstate");
    },
    // A link to a fragment: a push that fires popstate, too.
    fragment: () => {
      page.happyDOM.setURL(page.location.href.replace(/#.*|$/, to));
      fire("test-push");
      fire("popstate");
    },
    hide: () => setHidden(true),
    show: () => setHidden(false),
    restore: () => page.dispatchEvent(Object.assign(new page.Event("pageshow"), { persisted: true })),
    // navigation.updateCurrentEntry(), which changes an entry's state alone
    update: () => fire("test-update"),
  };
  acts[action]();
};

/** What a visit to `/a` counts. */
const count = (
  path: "navigation" | "wrapping",
  steps: readonly Step[],
  { isHash = false, isHidden = false } = {},
): string[] => {
  const page = openWindow(path);
  if (isHidden) walk(page, ["hide"]);
  const views: string[] = [];
  watchPageviews(isHash, (url) => views.push(url.replace(SITE, "")));
  for (const step of steps) walk(page, step);
  return views;
};

afterEach(() => {
  vi.unstubAllGlobals();
});

describe.each(["navigation", "wrapping"] as const)("watchPageviews by %s", (path) => {
  it.each<[string, Step[], string[]]>([
    ["the first load", [], ["/a"]],
    [
      "each push to another URL",
      [
        ["push", "/b"],
        ["push", "/b?x=1"],
        ["push", "/c"],
      ],
      ["/a", "/b", "/b?x=1", "/c"],
    ],
    [
      "a push to the same URL once",
      [
        ["push", "/b"],
        ["push", "/b"],
        ["push", "b"],
      ],
      ["/a", "/b"],
    ],
    [
      "traversals",
      [
        ["push", "/b"],
        ["traverse", "/a"],
        ["traverse", "/b"],
      ],
      ["/a", "/b", "/a", "/b"],
    ],
    [
      "a replacement of the path",
      [
        ["replace", "/b"],
        ["replace", "/c?x=1"],
      ],
      ["/a", "/b", "/c?x=1"],
    ],
    [
      "no replacement of the query",
      [
        ["replace", "/a?x=1"],
        ["replace", "/a?x=2"],
        ["replace", "/a"],
      ],
      ["/a"],
    ],
    [
      "no fragment",
      [
        ["fragment", "#top"],
        ["push", "/a#end"],
        ["replace", "/a#x"],
        ["traverse", "/a#top"],
      ],
      ["/a"],
    ],
    [
      "what follows within the same task",
      [
        ["push", "/b"],
        ["replace", "/c"],
        ["push", "/d"],
      ],
      ["/a", "/b", "/c", "/d"],
    ],
    [
      "the same URL again after another",
      [
        ["push", "/b"],
        ["push", "/a"],
        ["push", "/b"],
      ],
      ["/a", "/b", "/a", "/b"],
    ],
    [
      "a replacement, then a way back to it",
      [
        ["replace", "/a?x=1"],
        ["push", "/b"],
        ["traverse", "/a?x=1"],
      ],
      ["/a", "/b", "/a?x=1"],
    ],
    [
      "no fragment of a replaced query",
      [
        ["replace", "/a?x=1"],
        ["fragment", "#top"],
        ["traverse", "/a?x=1"],
      ],
      ["/a"],
    ],
    [
      "no push to a replaced query",
      [
        ["replace", "/a?x=1"],
        ["push", "/a?x=1"],
      ],
      ["/a"],
    ],
    [
      "no push back to what was counted last",
      [
        ["replace", "/a?x=1"],
        ["push", "/a"],
      ],
      ["/a"],
    ],
    ["a restore from the back/forward cache", [["restore"], ["restore"], ["push", "/a"]], ["/a", "/a", "/a"]],
    ["a restore with what was replaced", [["replace", "/a?x=1"], ["restore"]], ["/a", "/a?x=1"]],
    ["what is navigated in a page that has been seen", [["hide"], ["push", "/b"], ["show"]], ["/a", "/b"]],
    ["nothing when a seen page comes and goes", [["hide"], ["show"], ["hide"], ["show"]], ["/a"]],
  ])("counts %s", (_, steps, views) => expect(count(path, steps)).toEqual(views));

  it.each<[string, Step[], string[]]>([
    [
      "nothing while it is hidden",
      [
        ["push", "/b"],
        ["replace", "/c"],
        ["traverse", "/d"],
      ],
      [],
    ],
    ["the URL that it shows when it is first seen", [["push", "/b"], ["push", "/c"], ["show"]], ["/c"]],
    ["as any page afterwards", [["show"], ["push", "/a"], ["push", "/b"], ["hide"], ["show"]], ["/a", "/b"]],
    ["nothing by a restore out of sight", [["restore"], ["show"]], ["/a"]],
  ])("counts in a tab that was opened in the background %s", (_, steps, views) =>
    expect(count(path, steps, { isHidden: true })).toEqual(views),
  );

  it.each<[string, Step[], string[]]>([
    [
      "links to fragments",
      [
        ["fragment", "#/b"],
        ["fragment", "#/c"],
        ["traverse", "/a#/b"],
      ],
      ["/a", "/a#/b", "/a#/c", "/a#/b"],
    ],
    [
      "pushed fragments",
      [
        ["push", "#/b"],
        ["push", "#/b"],
        ["push", "#/b?x=1"],
      ],
      ["/a", "/a#/b", "/a#/b?x=1"],
    ],
    [
      "replaced fragments",
      [
        ["replace", "#/b"],
        ["replace", "#/c"],
      ],
      ["/a", "/a#/b", "/a#/c"],
    ],
    [
      "no queries replaced in fragments",
      [
        ["replace", "#/b"],
        ["replace", "#/b?x=1"],
      ],
      ["/a", "/a#/b"],
    ],
  ])("counts where fragments route %s", (_, steps, views) =>
    expect(count(path, steps, { isHash: true })).toEqual(views),
  );
});

describe("watchPageviews", () => {
  it("does not count when only the state of an entry is updated", () => {
    expect(count("navigation", [["update"], ["replace", "/a?x=1"], ["update"]])).toEqual(["/a"]);
  });

  it("lets the exception of pushState reach its caller and counts nothing", () => {
    const page = openWindow("wrapping");
    const views: string[] = [];
    watchPageviews(false, (url) => views.push(url));
    expect(() => page.history.pushState({}, "", "https://elsewhere.test/")).toThrow(/SecurityError|origin/);
    expect(views).toEqual([`${SITE}/a`]);
  });

  it("passes the state through and leaves the entry's state alone", () => {
    const page = openWindow("wrapping");
    watchPageviews(false, () => {});
    page.history.pushState({ own: 1 }, "", "/b");
    expect(page.history.state).toEqual({ own: 1 });
    page.history.replaceState(null, "", "/c");
    expect(page.history.state).toBeNull();
  });

  it("calls a wrapper of another script with its `this`, its arguments and its result", () => {
    const page = openWindow("wrapping");
    const calls: unknown[] = [];
    page.history.pushState = function (this: unknown, ...args: unknown[]) {
      calls.push(this === page.history, args);
      return "result" as unknown as undefined;
    };
    watchPageviews(false, () => {});
    expect(page.history.pushState({ x: 1 }, "title", "/b")).toBe("result");
    expect(calls).toEqual([true, [{ x: 1 }, "title", "/b"]]);
  });

  it("is seen through by a script that wraps the prototype afterwards", () => {
    const page = openWindow("wrapping");
    const views: string[] = [];
    watchPageviews(false, (url) => views.push(url));
    const prototype = Object.getPrototypeOf(page.history) as History;
    const { pushState } = prototype;
    let calls = 0;
    prototype.pushState = function (...args) {
      calls++;
      return pushState.apply(this, args);
    };
    page.history.pushState({}, "", "/b");
    expect(calls).toBe(1);
    expect(views).toEqual([`${SITE}/a`, `${SITE}/b`]);
  });

  it.each(["navigation"])("wraps where the page has an element or a variable named %s", (name) => {
    const page = openWindow("wrapping");
    Object.assign(page, { [name]: page.document.createElement("nav") });
    const views: string[] = [];
    watchPageviews(false, (url) => views.push(url));
    page.history.pushState({}, "", "/b");
    expect(views).toEqual([`${SITE}/a`, `${SITE}/b`]);
  });
});
