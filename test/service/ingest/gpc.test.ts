import { expect, it } from "vitest";
import { useService } from "../support/fixtures.js";

const SERVER_TOKEN = "gpc-server-token";
const service = useService({ gpc: "obey", serverToken: SERVER_TOKEN });

it("takes events of a browser with Sec-GPC for stored, stores none of them, and counts them", async () => {
  const event = (event_uid: string) => ({ contact_uid: "private", event_uid });
  const asked = { "sec-gpc": "1" };
  const one = await service.post(event("one"), asked);
  expect([one.status, await one.json()]).toEqual([200, { status: "success" }]);
  const several = await service.several([event("two"), event("three")], asked);
  expect([several.status, await several.json()]).toEqual([200, [0, 1].map((index) => ({ index, status: "stored" }))]);
  for (const { headers } of [one, several]) expect(headers.get("tracklet-batch")).toBe("1000");
  // What is wrong is told all the same.
  expect((await service.post({ contact_uid: "private" }, asked)).status).toBe(400);
  await service.post(event("of a server"), asked, `?api_token=${SERVER_TOKEN}`);
  await service.post(event("without"), { "sec-gpc": "0" });
  const { rows } = await service.events("private");
  expect(rows.map(({ event_uid }) => event_uid)).toEqual(["of a server", "without"]);
  expect(await service.metrics()).toContain("\ntracklet_events_obeyed_total 3\n");
});
