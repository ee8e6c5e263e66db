import { flush, identify, init, pageview, reset, track } from "tracklet";
import { expect, test, vi } from "vitest";

const { VITE_TRACKLET_TOKEN, VITE_TRACKLET_URL, VITE_CONTACT } = import.meta.env;

test("what a component tracks is stored, and nothing is warned of", async () => {
  const warn = vi.spyOn(console, "warn");
  init({ apiToken: VITE_TRACKLET_TOKEN, trackUrl: VITE_TRACKLET_URL });
  identify(VITE_CONTACT);
  track("signed_up", { plan: "team" });
  history.pushState({}, "", "/welcome");
  pageview();
  expect(await flush({ timeoutMs: 60_000 })).toEqual({ delivered: 3, queued: 0, dropped: 0 });
  reset();
  expect(warn.mock.calls).toEqual([]);
});
