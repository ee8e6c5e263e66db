import { expect, it } from "vitest";
import { expectRefusal, useService } from "../support/fixtures.js";

/* `GET /v2/accounts`, `/v2/contacts`, `/v2/users` and `/v2/events`. */

const service = useService({ hasRecords: true, demo: "on" });

it.each(["accounts", "contacts"])("answers 404 where nothing matches, and 400 without a uid: %s", async (kind) => {
  for (const path of ["?uid=nobody", "/nobody", "/%00%F0%9F%A6%8A'"])
    await expectRefusal(await service.get(`/v2/${kind}${path}`), 404, /not found/);
  await expectRefusal(await service.get(`/v2/${kind}`), 400, /uid is missing/);
  await expectRefusal(await service.get(`/v2/${kind}?uid=`), 400, /uid must not be empty/);
  await expectRefusal(await service.get(`/v2/${kind}?uid=a&uid=b`), 400, /uid must be a string/);
});

it("lists users, 25 a page and newest first unless asked otherwise", async () => {
  const page = await service.json("/v2/users");
  const times = page.data.map(({ created_at }: { created_at: number }) => created_at);
  expect(times).toEqual(times.toSorted((a: number, b: number) => b - a));
  const next = `${service.url}/v2/users?offset=25&limit=25`;
  const pagination = { total: 137, offset: 0, limit: 25, count: 25, next };
  expect(page).toEqual({ object: "user.list", data: expect.any(Array), pagination });
  expect(page.data[0]).toEqual({
    object: "user",
    id: expect.any(String),
    created_at: expect.any(Number),
    enabled: expect.any(Boolean),
    email: expect.stringMatching(/^[\w.]+@[\w.]+$/),
    name: expect.any(String),
    role: expect.any(String),
  });
});

it.each([
  ["limit=101", { limit: 100, count: 100, next: "?limit=100&offset=100" }],
  [`limit=${"9".repeat(400)}`, { limit: 100 }],
  // With nothing of what the client made up.
  ["x=1&limit=50&api_token=secret&order=asc", { next: "?limit=50&order=asc&offset=50" }],
  ["offset=112", { count: 25, next: null }],
  ["offset=111", { next: "?offset=136&limit=25" }],
  ["offset=137", { total: 137, offset: 137, limit: 25, count: 0, next: null }],
  [`offset=${"9".repeat(30)}`, { count: 0 }],
])("bounds a page of users, and says what is next: ?%s", async (query, expected) => {
  const { next, ...pagination } = (await service.json(`/v2/users?${query}`)).pagination;
  expect({ ...pagination, next: next?.replace(`${service.url}/v2/users`, "") ?? null }).toMatchObject(expected);
});

it("lists events of a contact, of a name, the latest first where that is asked for, and leads on to what is settled", async () => {
  const contact_uid = "contact-of-list";
  for (const event_uid of ["a", "b", "a", "a"]) await service.post({ contact_uid, event_uid });
  const ask = (query: string) => service.json(`/v2/events?contact_uid=${contact_uid}&${query}`);
  const list = async (query: string): Promise<{ id: string }[]> => (await ask(query)).data;
  const all = await list("");
  expect(all.map(({ id }) => id)).toEqual(all.map(({ id }) => id).sort());
  expect(await list("event_uid=a")).toEqual([all[0], all[2], all[3]]);
  expect(await list("order=desc&limit=2")).toEqual([all[3], all[2]]);
  const { next } = (await ask("order=desc")).pagination;
  expect(next).toMatch(/order=asc/);
  expect((await service.json(next.slice(service.url.length))).data).toEqual([]);
  const both = `after=${crypto.randomUUID()}&order=desc`;
  await expectRefusal(await service.get(`/v2/events?${both}`), 400, /^order must be asc with after/);
  // Before a time that no id can hold.
  expect((await service.json(`/v2/events?since=${2 ** 48}`)).data).toEqual([]);
});

it("names the contact and the account of events where that is asked for", async () => {
  await service.post({ contact_uid: "nameless", event_uid: "named", params: { account_uid: "account-01" } });
  await service.post({ contact_uid: "contact-001", event_uid: "named" });
  const [account, contact] = await Promise.all(
    ["accounts?uid=account-01", "contacts?uid=contact-001"].map((path) => service.json(`/v2/${path}`)),
  );
  const { data, pagination } = await service.json("/v2/events?event_uid=named&names=true");
  expect(data).toMatchObject([
    { contact: { id: expect.any(String), name: "nameless" }, account: { id: account.id, name: account.data.name } },
    { contact: { id: contact.id, name: contact.data.name }, account: null },
  ]);
  expect(pagination.next).toContain("names=true");
  expect((await service.json(`/v2/contacts/${data[0].contact.id}`)).unique_id).toBe("nameless");
});
