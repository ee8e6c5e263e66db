import { afterAll, beforeAll, expect, it } from "vitest";
import { onBothEngines } from "../support/engines.js";
import { API_TOKEN, type RunningService, startService } from "../support/running-service.js";

const SHOP = { name: "shop", apiToken: "shop-api-token", accessToken: "shop-access-token" };
const ROTATING = { ...SHOP, apiToken: `new-api-token,${SHOP.apiToken}`, accessToken: `new,${SHOP.accessToken}` };
const SHOP_READS = { authorization: `Bearer ${SHOP.accessToken}` };

onBothEngines((place) => {
  let service: RunningService;
  beforeAll(async () => {
    service = await startService({ ...place(), workspaces: [ROTATING] });
  });
  afterAll(() => service.close());

  it("keeps the data of each token apart, though the uids and the stamps are the same", async () => {
    const event = { contact_uid: "same", event_uid: "bought", params: { event_id: "one" } };
    for (const token of [API_TOKEN, SHOP.apiToken, "new-api-token"])
      expect((await service.post(event, {}, `?api_token=${encodeURIComponent(token)}`)).status).toBe(200);
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

  it("takes a token for what it is made for only", async () => {
    const event = { contact_uid: "same", event_uid: "bought" };
    expect((await service.post(event, {}, `?api_token=${SHOP.accessToken}`)).status).toBe(401);
    expect((await service.get("/v2/users", { authorization: `Bearer ${SHOP.apiToken}` })).status).toBe(401);
  });
});
