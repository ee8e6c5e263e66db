import { expect, it } from "vitest";
import { createReader } from "../../../src/read.js";
import { AT_ONCE } from "../support/bounds.js";
import { useService } from "../support/fixtures.js";
import { ACCESS_TOKEN, until } from "../support/service.js";

/* What somebody can store who has the token of the pages, and how it is read all the same. */

const service = useService({ bounds: AT_ONCE, addressRecords: 3_000 });

it("ends a page of large events at some 4 MB, and leads on to the others", async () => {
  const event = { contact_uid: "large", event_uid: "large", params: { filler: "ä".repeat(130_000) } };
  for (let number = 0; number < 40; number += 1) expect((await service.post(event)).status).toBe(200);
  await service.post({ contact_uid: "large", event_uid: "ü".repeat(130_000) });
  const reader = createReader({ baseUrl: service.url, accessToken: ACCESS_TOKEN });
  const query = { after: "00000000-0000-7000-8000-000000000000", limit: 1_000 };
  // What is settled waits for the transactions that are open, as that of the sums.
  const sizes = await until(async () => {
    const found: number[] = [];
    let count = 0;
    for await (const page of reader.events(query).pages()) {
      expect(page.pagination.next).toContain("limit=1000");
      found.push(Buffer.byteLength(JSON.stringify(page)));
      count += page.data.length;
    }
    return count === 41 ? found : undefined;
  });
  expect(sizes.length).toBeGreaterThan(2);
  expect(Math.max(...sizes)).toBeLessThan(4_400_000);
  expect(sizes.reduce((sum, size) => sum + size)).toBeGreaterThan(41 * 260_000);
});

it("makes so many records a day for one address, and holds so many contacts of an account in an answer", async () => {
  const send = async (from: number, amount: number): Promise<void> => {
    const uids = Array.from({ length: amount }, (_, index) => `crowd-${from + index}`);
    const params = { account_uid: "crowded" };
    const answers = await Promise.all(
      uids.map((contact_uid) => service.post({ contact_uid, event_uid: "joined", params })),
    );
    expect(answers.map(({ status }) => status)).toEqual(uids.map(() => 200));
  };
  const read = async (path: string) => (await service.get(path)).json();
  const passed = async () => {
    const metrics = await service.metrics();
    return Number(/^tracklet_events_without_record_total (\d+)$/m.exec(metrics)![1]);
  };
  // Each contact is a record, and so is its membership. What is known already uses nothing up.
  for (let from = 0; from < 1_400; from += 200) await send(from, 200);
  await send(0, 1_200);
  expect(await passed()).toBe(0);
  const { contacts } = await read("/v2/accounts?uid=crowded");
  expect([contacts.total, contacts.data.length]).toEqual([1_400, 1_000]);
  for (let from = 1_400; from < 2_200; from += 100) await send(from, 100);
  const { total } = (await read("/v2/accounts?uid=crowded")).contacts;
  // One transaction is over before it is counted.
  expect(total).toBeGreaterThan(1_490);
  expect(total).toBeLessThan(1_700);
  expect(await passed()).toBe(2_200 - total);
  // An event is stored all the same, and tells of its contact.
  expect(await read("/v2/contacts?uid=crowd-2199")).toMatchObject({ unique_id: "crowd-2199", accounts: { total: 0 } });
  const { data } = await read("/v2/events?account_uid=crowded&order=desc&limit=1");
  expect(data).toMatchObject([{ contact_uid: "crowd-2199", account_uid: "crowded" }]);
});
