/** Every operation of `tracklet/read` and `tracklet/send` against the running service. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  createReader,
  type EventOptions,
  NotFoundError,
  type Reader,
  type StoredEvent,
  type User,
} from "../../src/read.js";
import { type SendConfig, sendEvent } from "../../src/send.js";
import { type OwnService, startService } from "../support/service.js";

const API_TOKEN = "tést-☃-api-token";
const ACCESS_TOKEN = "test-access-token";
const ODD = "a/b ?#%&+=☃ Zoë";

let service: OwnService;
let reader: Reader;
beforeAll(async () => {
  service = await startService({ TRACKLET_API_TOKEN: API_TOKEN, TRACKLET_ACCESS_TOKEN: ACCESS_TOKEN });
  reader = createReader({ baseUrl: service.url, accessToken: ACCESS_TOKEN });
  await sendEvent({ trackUrl: service.url, apiToken: API_TOKEN }, { contact_uid: ODD, event_uid: "registration" });
}, 180_000);
afterAll(() => service?.dispose());

describe("accounts and contacts", () => {
  it.each<["accounts" | "contacts", string]>([
    ["accounts", "account-01"],
    ["contacts", "contact-001"],
    ["contacts", ODD],
  ])("are found by uid, and the same by the id found: %s, %s", async (kind, uid) => {
    const found = await reader[kind].findByUid(uid);
    expect(found).toMatchObject({ object: kind.slice(0, -1), unique_id: uid });
    await expect(reader[kind].get(found!.id!)).resolves.toEqual(found);
  });

  it.each(["accounts", "contacts"] as const)("tell that there is none: %s", async (kind) => {
    await expect(reader[kind].findByUid("nobody/knows?this")).resolves.toBeNull();
    const error = await reader[kind].get("nobody/knows?this").catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(NotFoundError);
    expect((error as NotFoundError).error).not.toBe("");
  });
});

describe("events that are stored", () => {
  const list = async (options: EventOptions): Promise<StoredEvent[]> => {
    const all: StoredEvent[] = [];
    for await (const { data } of reader.events(options)) all.push(...data);
    return all;
  };

  it("are read page by page, by contact, account, name and time, without a gap or a repeat", async () => {
    const to = { trackUrl: service.url, apiToken: API_TOKEN };
    const send = (number: number) =>
      sendEvent(to, {
        contact_uid: `reader ${number % 2}`,
        event_uid: number % 3 === 0 ? "third" : "other",
        params: { number, ...(number % 5 === 0 && { account_uid: "fifth & more", occurred_at: 1_700_000_000_000 }) },
      });
    const since = new Date();
    for (let batch = 0; batch < 5; batch += 1)
      await Promise.all(Array.from({ length: 50 }, (_, index) => send(batch * 50 + index)));
    const numbers = async (options: EventOptions) =>
      (await list({ since, ...options })).map(({ params }) => params.number as number).sort((a, b) => a - b);
    const all = Array.from({ length: 250 }, (_, index) => index);
    expect(await numbers({})).toEqual(all);
    expect(await numbers({ contactUid: "reader 1" })).toEqual(all.filter((number) => number % 2 === 1));
    expect(await numbers({ eventUid: "third" })).toEqual(all.filter((number) => number % 3 === 0));
    expect(await numbers({ accountUid: "fifth & more", contactUid: "reader 0", eventUid: "third" })).toEqual(
      all.filter((number) => number % 30 === 0),
    );
    expect(await numbers({ until: since })).toEqual([]);
    const ids = (await list({ accountUid: "fifth & more" })).map(({ id }) => id);
    expect(ids).toEqual([...ids].sort());
    const [first] = await list({ eventUid: "third", accountUid: "fifth & more", until: Date.now() + 60_000 });
    expect(first).toEqual({
      object: "event",
      id: expect.any(String),
      received_at: expect.any(Number),
      occurred_at: 1_700_000_000_000,
      contact_uid: "reader 0",
      account_uid: "fifth & more",
      event_uid: "third",
      params: { number: 0, account_uid: "fifth & more", occurred_at: 1_700_000_000_000 },
    });
    expect(await list({ contactUid: "nobody" })).toEqual([]);
  });

  it("reject where an option is wrong, in the words of the service", async () => {
    for (const name of ["contactUid", "accountUid", "eventUid"])
      await expect(list({ [name]: "" })).rejects.toThrow(/400 \w+_uid must not be empty/);
    await expect(list({ since: new Date("never") })).rejects.toThrow(/400 since must be a day or a time/);
  });

  it("are of this service alone: of another one, the error says so", async () => {
    const other = createReader({ baseUrl: `${service.url}/v3`, accessToken: ACCESS_TOKEN });
    await expect(other.events().next()).rejects.toThrow(/404 .+\(only tracklet's own service lists events\)$/);
  });
});

describe("users", () => {
  it("come all, whatever the pages and the order, one after another", async () => {
    const { pagination } = await reader.users.list({ limit: 1 });
    const all = async (list: AsyncIterable<User>) => {
      const ids: string[] = [];
      for await (const { id } of list) ids.push(id);
      return ids;
    };
    const newestFirst = await all(reader.users.list());
    expect(new Set(newestFirst).size).toBe(pagination.total);
    await expect(all(reader.users.list({ limit: 7, order: "desc", sort: "created_at" }))).resolves.toEqual(newestFirst);
    await expect(all(reader.users.list({ limit: 100, order: "asc" }))).resolves.toEqual(newestFirst.toReversed());
    await expect(all(reader.users.list({ offset: 130 }))).resolves.toEqual(newestFirst.slice(130));
    await expect(all(reader.users.list({ offset: 10_000 }))).resolves.toEqual([]);
  });
});

describe("events", () => {
  it.each(["basic", "query"] as const)("are stored as they were sent, with auth %s", async (auth) => {
    const config: SendConfig = { trackUrl: service.url, apiToken: API_TOKEN, auth };
    const contact_uid = `contact-${auth}`;
    const registration = { account_uid: "account-01", display_name: "Registration ☃", plan: { seats: [1, null] } };
    await sendEvent(config, { contact_uid, event_uid: "registration", params: registration });
    const visit = { account_uid: "account-01", visit_url: "https://app.example/start?a=1" };
    await sendEvent(config, { contact_uid, event_uid: "pageview", params: visit });
    await sendEvent(config, { contact_uid, event_uid: "bare" });
    await expect(service.rows(contact_uid)).resolves.toMatchObject([
      { contact_uid, event_uid: "registration", params: registration },
      { contact_uid, event_uid: "pageview", params: visit },
      { contact_uid, event_uid: "bare", params: {} },
    ]);
  });

  it("are stored once, with a stamp, although the answer to the first attempt is lost", async () => {
    const contact_uid = "contact-stamped";
    let attempts = 0;
    const lossy: typeof fetch = async (input, init) => {
      const answer = await fetch(input, init);
      attempts += 1;
      if (attempts > 1) return answer;
      await answer.text();
      throw new TypeError("the connection was reset");
    };
    const config = { trackUrl: service.url, apiToken: API_TOKEN, stamp: true, fetch: lossy };
    await sendEvent(config, { contact_uid, event_uid: "paid" });
    expect(attempts).toBe(2);
    const events = await service.rows(contact_uid);
    expect(events).toHaveLength(1);
    expect(events[0]!.params).toEqual({ event_id: expect.any(String), occurred_at: expect.any(Number) });
  });
});
