import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { eventsOf } from "../../e2e/tools/compare/collector.js";
import { countEvents } from "../../e2e/tools/compare/count.js";
import { ALL } from "../../e2e/tools/compare/peers/index.js";

/* What `npm run compare` reads of a body that it does not understand would count as lost. */

const base64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64");

it.each<[peer: keyof typeof ALL, body: unknown, events: unknown]>([
  ["tracklet", { event_uid: "a", params: { event_id: "1" } }, [{ name: "a", id: "1" }]],
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
