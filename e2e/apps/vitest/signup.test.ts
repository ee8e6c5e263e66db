import { init, track } from "tracklet";
import { type Recorder, recordEvents } from "tracklet/test";
import { afterEach, beforeEach, expect, test } from "vitest";

let events: Recorder;
beforeEach(() => {
  events = recordEvents();
  // Or what your app calls as it starts.
  init({ apiToken: "YOUR_API_TOKEN", trackUrl: "https://track.example.com", contactUid: "ann" });
  events.clear(); // the view of the first page
});
afterEach(() => events.restore());

test("a sign-up is tracked", () => {
  track("signed_up", { plan: "team" }); // here your test clicks a button
  expect(events.all()).toEqual([{ contact_uid: "ann", event_uid: "signed_up", params: { plan: "team" } }]);
});

test("the welcome page is counted, without the secret in its URL", () => {
  history.pushState({}, "", "/start?token=8f14e45fceea167a");
  expect(events.all("pageview").map(({ params }) => new URL(params.visit_url).search)).toEqual(["?token=REDACTED"]);
});
