/** How long somebody is at a page: by the clock, signs of life, and what is seen. */
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { watchActive } from "../../../src/addons/active-time.js";

let tracked: string[];
let end: () => void;
let slept: number;
let navigation: EventTarget & { transition?: unknown };

const sign = (type = "pointermove") => document.dispatchEvent(new Event(type, { bubbles: true }));
const wait = (seconds: number) => vi.advanceTimersByTime(seconds * 1_000);
const see = (visibility: string, type = "visibilitychange") => {
  vi.spyOn(Document.prototype, "hidden", "get").mockReturnValue(visibility === "hidden");
  document.dispatchEvent(new Event(type, { bubbles: true }));
};

/** What somebody does, as text: each step is one of these, or seconds to wait. */
const STEPS: Record<string, (argument: string) => unknown> = {
  sign: () => sign(),
  scroll: () => sign("scroll"),
  ticker: () => document.body.dispatchEvent(new Event("scroll")),
  hide: () => see("hidden"),
  show: () => see("visible"),
  leave: () => see("visible", "pagehide"),
  // The machine's clock goes on, and nothing runs.
  sleep: () => {
    slept += 3_600_000;
  },
  clock: () => vi.setSystemTime(Date.now() + 3_600_000),
  go: (path) => {
    history.pushState(null, "", path);
    navigation.dispatchEvent(new Event("currententrychange"));
  },
  slow: () => Object.assign(navigation, { transition: {} }),
  done: () => Object.assign(navigation, { transition: null }),
  end: () => end(),
  again: () => {
    end = begin();
  },
};

const begin = () =>
  watchActive((eventUid, { active_time, visit_url }) =>
    tracked.push(`${new URL(`${visit_url}`).pathname} ${active_time}${eventUid === "page_active" ? "" : eventUid}`),
  );

beforeEach(() => {
  vi.useFakeTimers();
  slept = 0;
  const now = performance.now.bind(performance);
  vi.spyOn(performance, "now").mockImplementation(() => now() + slept);
  navigation = new EventTarget();
  vi.stubGlobal("navigation", navigation);
  history.replaceState(null, "", "/a?secret=1");
  see("visible");
  tracked = [];
  end = begin();
});
afterEach(() => end());

it.each<[what: string, steps: string, tracked: string[]]>([
  ["nobody is there without a sign of life", "60, hide", []],
  ["from the first sign on", "5, sign, 10, hide", ["/a 10"]],
  ["30 s after the last one", "sign, 10, scroll, 45, hide", ["/a 40"]],
  ["signs after a rest", "sign, 40, sign, 5, hide", ["/a 35"]],
  ["a part of the page that scrolls by itself is no sign", "ticker, 10, hide", []],
  ["while the page is seen", "sign, 5, hide, 10, show, 5, hide", ["/a 5", "/a 5"]],
  ["hidden and then left: once", "sign, 5, hide, leave", ["/a 5"]],
  ["left, and hidden a while later: once", "sign, 5, leave, 1.5, hide", ["/a 5"]],
  ["left without being hidden", "sign, 5, leave", ["/a 5"]],
  ["no time of sleep, nor after it", "sign, 5, sleep, 10, hide", ["/a 5"]],
  ["a sign after sleep", "sign, 5, sleep, sign, 2, hide", ["/a 7"]],
  ["whatever the clock of the day is set to", "sign, 5, clock, 5, hide", ["/a 10"]],
  ["less than 0.25 s goes with what comes next", "sign, 0.2, hide, show, 0.3, hide", ["/a 0.5"]],
  ["each view of an app has its own time", "sign, 5, go /b, 3, hide", ["/a 5", "/b 3"]],
  ["a view that ends is told while the next is seen", "sign, 5, go /b, 1", ["/a 5"]],
  ["not before the URL has stood, nor while a navigation is under way", "sign, 5, go /b, slow, 9", []],
  ["once that navigation has ended", "sign, 5, slow, go /b, 2, done, 1, hide", ["/a 5", "/b 3"]],
  ["a redirect is no view", "sign, 5, go /b, 0.1, go /c, 2, hide", ["/a 5.1", "/c 2"]],
  ["another query is no other view", "sign, 5, go /a?q, 2, hide", ["/a 7"]],
  ["called again: what was counted, and then once", "sign, 5, again, sign, 3, hide", ["/a 5", "/a 3"]],
  ["what was counted when it ends, and nothing later", "sign, 5, end, sign, 5, hide", ["/a 5"]],
])("%s: %s", (_, steps, expected) => {
  for (const [act, argument] of steps.split(", ").map((step) => step.split(" ")))
    (STEPS[act!] ?? (() => wait(Number(act))))(argument!);
  expect(tracked).toEqual(expected);
});

it("finds a new URL where the browser has no Navigation API", () => {
  sign();
  wait(5);
  history.pushState(null, "", "/b");
  wait(2);
  see("hidden");
  expect(tracked[0]).toMatch(/^\/a [56]/);
  const total = tracked.map((text) => Number(text.split(" ")[1])).reduce((sum, seconds) => sum + seconds);
  expect([tracked.length, total]).toEqual([2, 7]);
});
