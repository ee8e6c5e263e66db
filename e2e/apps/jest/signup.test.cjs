/** @jest-environment jsdom */
const { track } = require("tracklet");
const { recordEvents } = require("tracklet/test");

test("a sign-up is tracked", () => {
  // Options start the tracker, where no code under test calls `init`.
  const events = recordEvents({ contactUid: "ann", pageviews: "off" });
  track("signed_up", { plan: "team" }); // here your test clicks a button
  expect(events.all()).toEqual([{ contact_uid: "ann", event_uid: "signed_up", params: { plan: "team" } }]);
  events.restore();
});
