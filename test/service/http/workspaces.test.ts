import { expect, it } from "vitest";
import { createToken, revokeToken } from "../../../src/service/access/tokens.js";
import { AT_ONCE } from "../support/bounds.js";
import { SHOP, useService } from "../support/fixtures.js";
import { API_TOKEN, startService, until } from "../support/service.js";

const ROTATING = { ...SHOP, apiToken: `new-api-token,${SHOP.apiToken}`, accessToken: `new,${SHOP.accessToken}` };
const SHOP_READS = { authorization: `Bearer ${SHOP.accessToken}` };
const service = useService({ bounds: AT_ONCE, workspaces: [ROTATING] });

it("keeps the same uid apart by workspaces, each of which has two tokens of a kind", async () => {
  for (const token of [API_TOKEN, SHOP.apiToken, "new-api-token"]) {
    const query = `?api_token=${encodeURIComponent(token)}`;
    expect((await service.post({ contact_uid: "same", event_uid: "bought" }, {}, query)).status).toBe(200);
  }
  const path = "/v2/contacts?uid=same";
  const [mine, ...theirs] = [
    await service.json(path),
    await service.json(path, SHOP_READS),
    await service.json(path, { authorization: "Bearer new" }),
  ];
  expect(theirs[0]).toEqual(theirs[1]);
  expect((await service.get(`/v2/contacts/${theirs[0].id}`)).status).toBe(404);
  expect((await service.get(`/v2/contacts/${mine.id}`, SHOP_READS)).status).toBe(404);
});

it("tells figures without a uid to a token for numbers, and nothing else", async () => {
  const of = { workspace: "shop", name: "wall" };
  const text = await createToken(service.database, { ...of, kind: "numbers", expiresAt: undefined });
  const wall = { authorization: `Bearer ${text}` };
  const event = { contact_uid: "known-person", event_uid: "signed", params: { account_uid: "known-account" } };
  expect((await service.post(event, {}, `?api_token=${SHOP.apiToken}`)).status).toBe(200);
  const counted = (as: typeof wall) =>
    until(async () => {
      const answer = await service.get("/v2/numbers?event_uid=signed", as);
      const body = await answer.text();
      const { events, accounts } = JSON.parse(body);
      // Each figure is asked for by itself: one may be of before the count, and another of after it.
      return events?.total > 0 && accounts.total > 0 ? body : undefined;
    });
  expect(await counted(SHOP_READS)).toContain("known-account");
  const told = await counted(wall);
  expect(told).not.toContain("known-");
  expect(JSON.parse(told)).toMatchObject({ events: { data: [{ event_uid: "signed" }] }, contacts: {}, accounts: {} });
  const { id } = await service.json("/v2/accounts?uid=known-account", SHOP_READS);
  for (const [status, ...paths] of [
    [200, "", "/returning"],
    [400, `?account=${id}`],
    [401, "/accounts", "/left-out", `/accounts/${id}`, `/accounts/${id}/events`],
  ])
    for (const path of paths) {
      const answer = await service.get(`/v2/numbers${path}`, wall);
      expect(answer.status, String(path)).toBe(status);
      if (status !== 401) continue;
      expect((await answer.json()).error).toMatch(/this one is of the kind numbers/);
      expect(answer.headers.get("www-authenticate")).toMatch(/, kind="numbers"$/);
    }
  for (const path of ["events", "users", `accounts/${id}`])
    expect((await service.get(`/v2/${path}`, wall)).status, path).toBe(401);
  await revokeToken(service.database, of);
});

it("takes a token of the database until it expires, and keeps nothing but its digest", async () => {
  const of = { workspace: "shop", name: "site" };
  const { database } = service;
  const becomes = (status: number, token: string) =>
    until(async () => (await service.get("/v2/users", { authorization: `Bearer ${token}` })).status === status);
  const token = await createToken(database, { ...of, kind: "access", expiresAt: Date.now() + 2_000 });
  await becomes(200, token);
  await expect(createToken(database, { ...of, kind: "api", expiresAt: undefined })).rejects.toThrow("already");
  // Each token is for one thing.
  await expect(startService({ database: { ...database, close: async () => {} }, accessToken: token })).rejects.toThrow(
    'a token of the environment is the token "site" of the workspace shop',
  );
  expect(JSON.stringify(await database.query("SELECT * FROM tokens"))).not.toContain(token);
  await becomes(401, token);
  await revokeToken(database, of);
  await expect(revokeToken(database, of)).rejects.toThrow('there is no token "site" in the workspace shop');
});
