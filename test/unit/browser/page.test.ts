/** What the tracker hears of the page, and what it leaves alone. */
import type { Window } from "happy-dom";
import { beforeEach, expect, it, vi } from "vitest";
import { stubPage } from "./fresh.js";

type PageModule = typeof import("../../../src/browser/page.js");
/** A new one each time, because what listens to it is never taken off. */
let window: Window;
let page: PageModule;

beforeEach(async () => {
  window = stubPage();
  vi.resetModules();
  page = await import("../../../src/browser/page.js");
});

it("wraps the history where there is no Navigation API: after the change, with arguments, this, result and exception of whoever else does", () => {
  const moves: string[] = [];
  const calls: unknown[] = [];
  const { pushState } = window.history;
  // An element with that id is no Navigation API.
  Object.assign(window, { navigation: window.document.createElement("nav") });
  window.history.pushState = function (this: unknown, ...args: Parameters<typeof pushState>) {
    calls.push(this === window.history);
    pushState.apply(window.history, args);
    return "result" as never;
  };
  page.onNavigate((kind) => {
    moves.push(`${kind} ${window.location.pathname}`);
    throw new Error("our own");
  });
  expect(window.history.pushState({ own: 1 }, "", "/b")).toBe("result");
  expect(window.history.state).toEqual({ own: 1 });
  // A wrapper that comes later.
  const ours = window.history.pushState;
  window.history.pushState = (...args) => ours.apply(window.history, args);
  window.history.pushState(null, "", "/c");
  window.history.replaceState(null, "", "/d");
  expect(() => window.history.pushState({}, "", "https://elsewhere.test/")).toThrow(/SecurityError|origin/);
  expect(moves).toEqual(["push /b", "push /c", "replace /d"]);
  expect(calls).toEqual([true, true, true]);
});
