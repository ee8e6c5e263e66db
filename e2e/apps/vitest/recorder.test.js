import { consent, flush, init, optIn, track } from "tracklet";
import { recordEvents } from "tracklet/test";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

const ADDRESS = { apiToken: "YOUR_API_TOKEN", trackUrl: "https://track.example.com" };
const names = (events) => events.all().map(({ event_uid, contact_uid }) => `${contact_uid} ${event_uid}`);

const methods = () => [history.pushState, history.replaceState, Object.keys(history)];
/** Before anything is recorded. */
const untouched = methods();

let warn;
beforeEach(() => {
  warn = vi.spyOn(console, "warn");
  vi.stubGlobal("fetch", () => expect.unreachable());
  localStorage.clear();
});
afterEach(() => {
  expect([warn.mock.calls, Object.keys(localStorage)]).toEqual([[], []]);
  vi.unstubAllGlobals();
});

test.each(["ann", "bob"])("each recorder begins with a tracker that nobody has configured: %s", (contactUid) => {
  const events = recordEvents();
  track("early");
  expect(names(events)).toEqual([]);
  init({ ...ADDRESS, contactUid, pageviews: "off", beforeSend: (event) => event.event_uid !== "dropped" && event });
  for (const name of ["one", "dropped", "two"]) track(name);
  expect(names(events)).toEqual(["early", "one", "two"].map((name) => `${contactUid} ${name}`));
});

test("options start it, and an app that starts the same tracker changes nothing", async () => {
  const events = recordEvents({ ...ADDRESS, contactUid: "ann", accountUid: "acme", pageviews: "off" });
  init({ ...ADDRESS });
  for (let n = 1; n <= 20; n++) track("counted", { n });
  const all = events.all();
  expect(await flush()).toEqual({ delivered: 20, queued: 0, dropped: 0 });
  expect(events.all()).toEqual(all);
  expect(all.map(({ params }) => params)).toEqual(all.map((_, at) => ({ account_uid: "acme", n: at + 1 })));
});

test("the stamp is recorded where a test asks for it, and a member of the page's own is no stamp", () => {
  const recorded = (options) => {
    const events = recordEvents(options);
    init({ ...ADDRESS, contactUid: "ann", pageviews: "off" });
    track("one");
    return events.all().map(({ params }) => Object.keys(params));
  };
  expect(recorded()).toEqual([[]]);
  expect(recorded({ stamp: true })).toEqual([["event_id", "occurred_at", "event_source", "event_seq"]]);
  const events = recordEvents({ contactUid: "ann", pageviews: "off" });
  warn.mockImplementationOnce(() => {});
  track("sold", { event_id: "T-42" });
  expect(events.all()).toEqual([{ contact_uid: "ann", event_uid: "sold", params: { event_id: "T-42" } }]);
  expect(warn.mock.calls.splice(0)).toEqual([["tracklet: stamp: params.event_id", "(data-debug)"]]);
});

test("clear forgets what was tracked, and not who is identified", () => {
  const events = recordEvents({ contactUid: "ann" });
  track("one");
  expect(names(events)).toEqual(["ann pageview", "ann one"]);
  events.clear();
  track("two");
  expect([names(events), events.all("one")]).toEqual([["ann two"], []]);
});

test.each([
  ["restore", (events) => events.restore()],
  ["the next recorder", () => recordEvents().restore()],
])("%s leaves nothing behind: no timer, no listener, no wrapped history, and a tracker that does nothing", (_, end) => {
  // The recorder of the test before ends.
  recordEvents().restore();
  vi.useFakeTimers();
  const beforeSend = vi.fn();
  const onError = vi.fn();
  const events = recordEvents({ contactUid: "ann", beforeSend, onError });
  const { tracklet } = window;
  track("one");
  history.pushState({}, "", "/two");
  vi.runAllTimers();
  track("two");
  expect(names(events)).toEqual(["ann pageview", "ann one", "ann pageview", "ann two"]);
  end(events);
  expect([vi.getTimerCount(), ...methods()]).toEqual([0, ...untouched]);

  beforeSend.mockClear();
  tracklet.track("late");
  tracklet.track();
  history.pushState({}, "", "/three");
  dispatchEvent(new PopStateEvent("popstate"));
  document.dispatchEvent(new Event("visibilitychange", { bubbles: true }));
  expect(tracklet.identity()).toEqual([]);
  expect([vi.getTimerCount(), beforeSend.mock.calls, onError.mock.calls, events.all().length]).toEqual([0, [], [], 4]);
  vi.useRealTimers();
});

test("a method of history that somebody has wrapped meanwhile stays wrapped, and works", () => {
  recordEvents().restore();
  const { pushState } = history;
  const events = recordEvents({ contactUid: "ann" });
  const ours = history.pushState;
  const wrapper = vi.fn(function (...args) {
    return ours.apply(this, args);
  });
  history.pushState = wrapper;
  events.restore();
  history.pushState({}, "", "/wrapped");
  expect([wrapper.mock.calls.length, location.pathname]).toEqual([1, "/wrapped"]);
  Reflect.deleteProperty(history, "pushState");
  History.prototype.pushState = pushState;
});

test("a tracker that was started before lends its options, and is put back", () => {
  Reflect.deleteProperty(window, "tracklet");
  init({ ...ADDRESS, contactUid: "ann", pageviews: "off", consent: "pending" });
  const own = window.tracklet;
  for (const name of ["one", "two"]) {
    const events = recordEvents();
    track(name);
    expect(names(events)).toEqual([]);
    optIn();
    expect(names(events)).toEqual([`ann ${name}`]);
    events[name === "one" ? "restore" : Symbol.dispose]();
    expect([window.tracklet, consent()]).toEqual([own, "pending"]);
  }
});
