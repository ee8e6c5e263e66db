import { afterAll, beforeAll, expect, it } from "vitest";
import { seed } from "../../../demo/records/fill.js";
import { createToken, revokeToken } from "../../../src/service/access/tokens.js";
import type { Database } from "../../../src/service/database/database.js";
import { openDatabase } from "../../../src/service/database/open-database.js";
import { basic } from "../support/basic.js";
import { AT_ONCE } from "../support/bounds.js";
import { overDatabase } from "../support/over-database.js";
import { API_TOKEN, type RunningService, startService, until } from "../support/running-service.js";

const SHOP = { name: "shop", apiToken: "shop-api-token", accessToken: "shop-access-token" };
const ROTATING = { ...SHOP, apiToken: `new-api-token,${SHOP.apiToken}`, accessToken: `new,${SHOP.accessToken}` };
const SHOP_READS = { authorization: `Bearer ${SHOP.accessToken}` };

overDatabase((place) => {
  let database: Database;
  let service: RunningService;
  beforeAll(async () => {
    database = await openDatabase(place());
    await seed(database.query);
    service = await startService({ database, bounds: AT_ONCE, workspaces: [ROTATING] });
  });
  afterAll(() => service.close());

  it("keeps the data of each token apart, though the uids and the stamps are the same", async () => {
    const event = { contact_uid: "same", event_uid: "bought", params: { event_id: "one" } };
    for (const token of [API_TOKEN, SHOP.apiToken, "new-api-token"])
      expect((await service.post(event, basic(`${token}:`), "")).status).toBe(200);
    expect((await service.events("same")).rows).toHaveLength(1);

    const [mine, theirs] = [
      await (await service.get("/v2/contacts?uid=same")).json(),
      await (await service.get("/v2/contacts?uid=same", SHOP_READS)).json(),
    ];
    expect([mine.unique_id, theirs.unique_id]).toEqual(["same", "same"]);
    expect(await (await service.get("/v2/contacts?uid=same", { authorization: "Bearer new" })).json()).toEqual(theirs);
    expect(theirs.id).not.toBe(mine.id);
    expect((await service.get(`/v2/contacts/${theirs.id}`)).status).toBe(404);
    expect((await service.get(`/v2/contacts/${mine.id}`, SHOP_READS)).status).toBe(404);
  });

  it("shows the records of one workspace to no other", async () => {
    const account = await (await service.get("/v2/accounts?uid=account-01")).json();
    for (const path of ["/v2/accounts?uid=account-01", `/v2/accounts/${account.id}`, "/v2/contacts?uid=contact-001"])
      expect((await service.get(path, SHOP_READS)).status).toBe(404);
    expect((await (await service.get("/v2/users", SHOP_READS)).json()).pagination.total).toBe(0);
  });

  it("tells figures without a uid to a token for numbers, and nothing else", async () => {
    const text = await createToken(database, {
      workspace: "shop",
      name: "wall",
      kind: "numbers",
      expiresAt: undefined,
    });
    const headers = { authorization: `Bearer ${text}` };
    const event = { contact_uid: "known-person", event_uid: "bought", params: { account_uid: "known-account" } };
    expect((await service.post(event, {}, `?api_token=${SHOP.apiToken}`)).status).toBe(200);
    const ask = (path: string, as = headers) =>
      until(async () => {
        const answer = await service.get(path, as);
        return answer.status === 401 ? undefined : answer;
      });
    const counted = async (as: typeof headers) =>
      until(async () => {
        const body = await (await ask("/v2/numbers?event_uid=bought", as)).text();
        return JSON.parse(body).events.total > 0 ? body : undefined;
      });
    expect(await counted(SHOP_READS)).toContain("known-account");
    const told = await counted(headers);
    expect(told).not.toContain("known-");
    expect(JSON.parse(told)).toMatchObject({ events: { data: [{ event_uid: "bought" }] }, contacts: {}, accounts: {} });
    expect((await ask("/v2/numbers")).status).toBe(200);
    expect((await ask("/v2/numbers/returning")).status).toBe(200);
    const { id } = await (await service.get("/v2/accounts?uid=known-account", SHOP_READS)).json();
    expect((await ask(`/v2/numbers?account=${id}`)).status).toBe(400);
    for (const path of [
      ...["/v2/events", "/v2/users", "/v2/numbers/accounts", "/v2/numbers/left-out", `/v2/accounts/${id}`],
      ...[`/v2/numbers/accounts/${id}`, `/v2/numbers/accounts/${id}/events`],
    ])
      expect((await service.get(path, headers)).status, path).toBe(401);
    await revokeToken(database, { workspace: "shop", name: "wall" });
  });

  it("takes a token of the database until it expires, and keeps nothing but its digest", async () => {
    const of = { workspace: "shop", name: "site" };
    const read = async (token: string) => (await service.get("/v2/users", { authorization: `Bearer ${token}` })).status;
    const becomes = (status: number, token: string) =>
      until(async () => ((await read(token)) === status ? true : undefined));
    const token = await createToken(database, { ...of, kind: "access", expiresAt: Date.now() + 2_000 });
    await becomes(200, token);
    await expect(createToken(database, { ...of, kind: "api", expiresAt: undefined })).rejects.toThrow("already");
    // Each token is for one thing.
    await expect(
      startService({ database: { ...database, close: async () => {} }, accessToken: token }),
    ).rejects.toThrow('a token of the environment is the token "site" of the workspace shop');
    expect(JSON.stringify(await database.query("SELECT * FROM tokens"))).not.toContain(token);
    await becomes(401, token);
    await revokeToken(database, of);
    await expect(revokeToken(database, of)).rejects.toThrow('there is no token "site" in the workspace shop');
  });
});
