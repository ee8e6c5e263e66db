/** A tracker of an app's own, as it is built. */
import { join } from "node:path";
import { expect, it, vi } from "vitest";

const { createTracker }: typeof import("../../src/instance.js") = await import(
  join(import.meta.dirname, "../../dist/instance.js")
);
const start = (name: string) =>
  createTracker({ name, apiToken: `${name}-token`, trackUrl: "https://track.example", pageviews: "off" });

it("what a test records under its name sees an instance that was made before", async () => {
  const { recordEvents }: typeof import("../../src/recorder.js") = await import(
    join(import.meta.dirname, "../../dist/test.js")
  );
  vi.stubGlobal("fetch", () => new Promise(() => {}));
  const { track, identify } = start("shop");
  const events = recordEvents({ name: "shop" });
  identify("ann");
  track("bought");
  expect(events.all()).toEqual([{ contact_uid: "ann", event_uid: "bought", params: {} }]);
  events.restore();
  vi.stubGlobal("window", undefined);
  expect(() => recordEvents()).toThrow("recordEvents needs a page (window)");
});
