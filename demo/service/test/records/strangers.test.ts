import { afterAll, beforeAll, expect, it } from "vitest";
import { createReader } from "../../../../src/read.js";
import { AT_ONCE } from "../support/bounds.js";
import { onBothEngines } from "../support/engines.js";
import { ACCESS_TOKEN, type RunningService, startService } from "../support/running-service.js";

/** What somebody can store who has the token of the pages, and how it is read all the same. */
onBothEngines((place) => {
  let service: RunningService;
  beforeAll(async () => {
    service = await startService({ ...place(), seed: false, bounds: AT_ONCE });
  });
  afterAll(() => service.close());

  it("ends a page of large events at some 4 MB, and leads on to the others", async () => {
    const event = { contact_uid: "large", event_uid: "large", params: { filler: "ä".repeat(130_000) } };
    for (let number = 0; number < 40; number += 1) expect((await service.post(event)).status).toBe(200);
    await service.post({ contact_uid: "large", event_uid: "ü".repeat(130_000) });
    const reader = createReader({ baseUrl: service.url, accessToken: ACCESS_TOKEN });
    const sizes: number[] = [];
    const query = { after: "00000000-0000-7000-8000-000000000000", limit: 1_000 };
    for await (const page of reader.events(query).pages()) {
      expect(page.pagination.next).toContain("limit=1000");
      sizes.push(Buffer.byteLength(JSON.stringify(page)));
    }
    expect(sizes.length).toBeGreaterThan(2);
    expect(Math.max(...sizes)).toBeLessThan(4_400_000);
    expect(sizes.reduce((sum, size) => sum + size)).toBeGreaterThan(41 * 260_000);
  });
});
