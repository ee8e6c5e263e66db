import { availableParallelism } from "node:os";
import { gzipSync } from "node:zlib";
import { expect, it, onTestFinished, vi } from "vitest";
import { eventsOf } from "../../e2e/tools/compare/collector.js";
import { countEvents } from "../../e2e/tools/compare/count.js";
import { ALL } from "../../e2e/tools/compare/peers/index.js";
import { watchLoad } from "../../e2e/tools/compare/quiet.js";
import { type Result, report } from "../../e2e/tools/compare/report.js";

/* What `npm run compare` reads of a body that it does not understand would count as lost. */

const base64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64");

it.each<[peer: keyof typeof ALL, body: unknown, events: unknown]>([
  ["tracklet", { event_uid: "a", params: { event_id: "1" } }, [{ name: "a", id: "1" }]],
  ["several", [{ event_uid: "a", params: { event_id: "1" } }], [{ name: "a", id: "1" }]],
  ["plausible", { n: "a" }, [{ name: "a" }]],
  ["plausible", { n: "engagement" }, []],
  ["segment", { event: "a", messageId: "1" }, [{ name: "a", id: "1" }]],
  ["rudderstack", { batch: [{ event: "a", messageId: "1" }] }, [{ name: "a", id: "1" }]],
  ["snowplow", { data: [{ se_ac: "a", eid: "1" }] }, [{ name: "a", id: "1" }]],
  ["amplitude", { events: [{ event_type: "a", insert_id: "1" }] }, [{ name: "a", id: "1" }]],
  ["posthog", [{ event: "a", uuid: "1" }], [{ name: "a", id: "1" }]],
  ["posthog", { event: "a", uuid: "1" }, [{ name: "a", id: "1" }]],
  ["posthog", `data=${encodeURIComponent(base64({ event: "a", uuid: "1" }))}`, [{ name: "a", id: "1" }]],
])("the events of %s's body, compressed or not", (peer, body, events) => {
  const bytes = Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
  for (const sent of [bytes, gzipSync(bytes)]) expect(eventsOf(ALL[peer]!, "/", sent)).toEqual(events);
});

it("an event that came twice with one id is counted apart from one that did not", () => {
  const taken = [{ name: "a", id: "1" }, { name: "a", id: "1" }, { name: "b" }, { name: "b" }, { name: "c" }];
  expect(countEvents(["a", "b", "c", "d"], taken)).toEqual({ events: 4, lost: 1, repeated: 2, unmarked: 1 });
});

it("counts of several runs are a range where they differ, costs a median; a tracker that lacks some has no row", () => {
  const count = (lost: number, repeated: number, unmarked = 0) => ({ events: 20, lost, repeated, unmarked });
  const cost = (own: number) => ({ own: { start: own, event: 2 * own }, ours: { start: 2, event: 2 } });
  const result = (peer: keyof typeof ALL, counts: ReturnType<typeof count>[], costs: number[]): Result => {
    return { peer: ALL[peer]!, text: "", faults: { none: counts }, costs: costs.map(cost) };
  };
  const tables = report(
    [
      result("tracklet", [count(0, 0), count(0, 0)], [2, 2]),
      result("plausible", [count(3, 0), count(5, 2, 1)], [4, 1, 3]),
      result("segment", [count(0, 1)], [4, -1]),
    ],
    { chromium: "1", faults: ["none"], runs: 3, enough: 2 },
  );
  expect(tables.split("\n").filter((line) => /^(\| [A-Za-z]|Not)/.test(line))).toEqual([
    "| of 20 events | nothing |",
    "| tracklet | 0 |",
    "| Plausible | **3 to 5 lost**, 0 to 2 twice |",
    "Not in the table, because it could not be measured in every fault: Segment.",
    "| tracklet | 1.0 | 2.0 |",
    "| Plausible | 1.5 | 3.0 |",
  ]);
});

it("a machine that does other work is told from a quiet one, before and meanwhile", () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  let [load, seconds] = [0.2, 0];
  const watch = () => watchLoad({ load: () => load, others: () => seconds });
  const quiet = watch();
  expect(quiet.busyBefore()).toBeUndefined();
  seconds += 30 * availableParallelism();
  vi.advanceTimersByTime(60_000);
  vi.advanceTimersByTime(60_000);
  expect(quiet.busyMeanwhile()).toMatch(/others used 50 % of the processors/);
  load = 0.7;
  const busy = watch();
  expect(busy.busyBefore()).toMatch(/is 0\.7/);
  seconds += 60 * availableParallelism() * 0.2;
  vi.advanceTimersByTime(60_000);
  expect(busy.busyMeanwhile()).toBeUndefined();
});
