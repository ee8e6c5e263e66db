import { beforeEach, expect, test, vi } from "vitest";

beforeEach(() => {
  vi.resetModules();
  Reflect.deleteProperty(window, "tracklet");
  localStorage.clear();
});

test.each(["ann", "bob"])("the sign-up of %s is tracked", async (contactUid) => {
  // After the reset, and so does the component under test.
  const { init, track } = await import("tracklet");
  const events = [];
  init({
    apiToken: "YOUR_API_TOKEN",
    trackUrl: "https://track.example.com",
    contactUid,
    pageviews: "off",
    beforeSend: (event) => {
      events.push(event);
      return false;
    },
  });
  track("signed_up", { plan: "team" });
  expect(events).toEqual([{ contact_uid: contactUid, event_uid: "signed_up", params: { plan: "team" } }]);
});
