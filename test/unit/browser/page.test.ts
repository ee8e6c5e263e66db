// @vitest-environment happy-dom
import { afterEach, describe, expect, it, vi } from "vitest";
import {
  isHidden,
  onLeave,
  onNavigate,
  onOnline,
  onRestore,
  onStorage,
  onVisibility,
} from "../../../src/browser/page.js";

afterEach(() => vi.restoreAllMocks());

const fire = (target: EventTarget, type: string, members = {}): boolean =>
  target.dispatchEvent(Object.assign(new Event(type), members));

it("tells whether the page is out of sight", () => {
  const visibility = vi.spyOn(document, "hidden", "get");
  visibility.mockReturnValue(true);
  expect(isHidden()).toBe(true);
  visibility.mockReturnValue(false);
  expect(isHidden()).toBe(false);
});

describe.each([
  ["onVisibility", onVisibility, () => document, "visibilitychange"],
  ["onLeave", onLeave, () => window, "pagehide"],
  ["onStorage", onStorage, () => window, "storage"],
  ["onOnline", onOnline, () => window, "online"],
] as const)("%s", (_, on, target, type) => {
  it(`runs on ${type}`, () => {
    const run = vi.fn();
    on(run);
    expect(run).not.toHaveBeenCalled();
    fire(target(), type);
    expect(run).toHaveBeenCalledTimes(1);
  });
});

it("onRestore runs when the page is back from the cache, not when it was loaded", () => {
  const run = vi.fn();
  onRestore(run);
  fire(window, "pageshow", { persisted: false });
  expect(run).not.toHaveBeenCalled();
  fire(window, "pageshow", { persisted: true });
  expect(run).toHaveBeenCalledTimes(1);
});

describe("onNavigate, with wrapped history", () => {
  it("runs after the URL has changed, and lets arguments, this and result through", () => {
    const urls: string[] = [];
    onNavigate(() => urls.push(location.pathname));
    const state = { a: 1 };
    expect(history.pushState(state, "", "/pushed")).toBeUndefined();
    expect(urls).toEqual(["/pushed"]);
    expect(history.state).toEqual(state);
  });
  it("runs on popstate", () => {
    const run = vi.fn();
    onNavigate(run);
    fire(window, "popstate");
    expect(run).toHaveBeenCalledTimes(1);
  });
  it("lets the exception of the browser reach the caller", () => {
    const original = history.pushState;
    history.pushState = () => {
      throw new DOMException("too many calls", "SecurityError");
    };
    const run = vi.fn();
    onNavigate(run);
    expect(() => history.pushState({}, "", "/x")).toThrow("too many calls");
    expect(run).not.toHaveBeenCalled();
    history.pushState = original;
  });
  it("stays below the wrapper that another script puts on later", () => {
    const run = vi.fn();
    onNavigate(run);
    const ours = history.pushState;
    const theirs = vi.fn();
    history.pushState = function (...args) {
      theirs();
      return ours.apply(this, args);
    };
    history.pushState({}, "", "/both");
    expect([theirs.mock.calls.length, run.mock.calls.length]).toEqual([1, 1]);
    history.pushState = ours;
  });
});
