import { afterAll, beforeAll, expect, it } from "vitest";
import { createToken } from "../../../src/service/access/tokens.js";
import type { Database } from "../../../src/service/database/database.js";
import { openDatabase } from "../../../src/service/database/open-database.js";
import { overDatabase } from "../support/over-database.js";
import { expectRefusal } from "../support/refusal.js";
import { API_TOKEN, type RunningService, startService } from "../support/running-service.js";

const SHOP = { name: "shop", apiToken: "shop-api-token", accessToken: "shop-access-token" };
const ADMIN = "test-admin-token";

/** `PUT /v2/contacts` and `/v2/accounts`. */
overDatabase((place) => {
  let database: Database;
  let service: RunningService;
  let shopAdmin = "";
  beforeAll(async () => {
    database = await openDatabase(place());
    service = await startService({ database, adminToken: ADMIN, workspaces: [SHOP] });
    await service.close();
    database = await openDatabase(place());
    shopAdmin = await createToken(database, { workspace: "shop", name: "sync", kind: "admin", expiresAt: undefined });
    service = await startService({ database, adminToken: ADMIN, workspaces: [SHOP] });
  });
  afterAll(() => service.close());

  const put = (path: string, body: unknown, token = ADMIN) =>
    fetch(`${service.url}/v2/${path}`, {
      method: "PUT",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });

  it("makes a record, and keeps what is left out of one that is there, in its workspace alone", async () => {
    await service.post({ contact_uid: "anna", event_uid: "seen", params: { account_uid: "acme" } });
    const first = await put("contacts?uid=anna", { data: { name: "Anna\u0000", odd: "\ud800" }, accounts: ["beta"] });
    expect([first.status, await first.json()]).toEqual([
      200,
      expect.objectContaining({
        object: "contact",
        unique_id: "anna",
        archived: false,
        data: { name: "Anna\u0000", odd: "\ud800" },
      }),
    ]);
    const stage = { id: "1", name: "Trial" };
    await put("contacts?uid=anna", { stage, health: 7 });
    await put("contacts?uid=anna", { archived: true, health: null });
    const record = await (await service.get("/v2/contacts?uid=anna")).json();
    expect(record).toMatchObject({ archived: true, stage, salesmachine: {}, data: { name: "Anna\u0000" } });
    expect(record.accounts.total).toBe(2);
    expect(await (await put("contacts?uid=anna", {})).json()).toEqual(record);
    expect(await (await put("accounts?uid=acme", { created_at: 5 })).json()).toMatchObject({ created_at: 5, data: {} });

    const theirs = { authorization: `Bearer ${SHOP.accessToken}` };
    expect((await service.get("/v2/contacts?uid=anna", theirs)).status).toBe(404);
    expect(await (await put("contacts?uid=anna", { data: { of: "shop" } }, shopAdmin)).json()).toMatchObject({
      data: { of: "shop" },
    });
    expect(await (await service.get("/v2/contacts?uid=anna")).json()).toEqual(record);
  });

  it("gives a health back as it was put, and takes one that the service itself has told for none", async () => {
    const health = async () => (await (await service.get("/v2/accounts?uid=acme")).json()).salesmachine;
    for (const told of ["good", 80, "", 7.5, "80", -1, '\u0000"']) {
      expect((await (await put("accounts?uid=acme", { health: told })).json()).salesmachine).toEqual({ health: told });
      const itself = { health: "average", health_source: "activity: average" };
      for (const body of [itself, { salesmachine: itself }, { data: {} }]) await put("accounts?uid=acme", body);
      expect(await health()).toEqual({ health: told });
    }
    await put("accounts?uid=acme", { salesmachine: { health: "bad", health_source: "activity: good" } });
    expect(await health()).toEqual({ health: "bad" });
    await put("accounts?uid=acme", { health: null });
    expect(await health()).toEqual({});
  });

  it("loses nothing where two change different members at once", async () => {
    for (let round = 0; round < 10; round += 1) {
      const uid = `both-${round}`;
      await Promise.all([
        put(`contacts?uid=${uid}`, { health: round }),
        put(`contacts?uid=${uid}`, { data: { round } }),
      ]);
      const record = await (await service.get(`/v2/contacts?uid=${uid}`)).json();
      expect(record).toMatchObject({ data: { round }, salesmachine: { health: round } });
    }
  });

  it.each<[string, unknown, number, RegExp]>([
    ["contacts?uid=a", { plan: "x" }, 400, /^plan is not known$/],
    ["accounts?uid=a", { archived: true }, 400, /^archived is not known$/],
    ["contacts?uid=a", { data: [] }, 400, /^data must be an object$/],
    ["contacts?uid=a", { accounts: [""] }, 400, /^accounts.0 must not be empty$/],
    ["contacts?uid=a", { health: [] }, 400, /^health must be/],
    ["contacts?uid=a", { created_at: 1e300 }, 400, /^created_at must be/],
    ["contacts?uid=a", "{", 400, /JSON/],
    ["contacts", {}, 400, /^uid is missing$/],
    ["contacts?uid=", {}, 400, /^uid must not be empty$/],
  ])("refuses in words, and changes nothing: %s %j", async (path, body, status, text) => {
    await expectRefusal(await put(path, body), status, text);
    expect((await service.get("/v2/contacts?uid=a")).status).toBe(404);
  });

  it("is for the operator's token alone", async () => {
    for (const token of ["test-access-token", encodeURIComponent(API_TOKEN), "wrong"])
      await expectRefusal(await put("contacts?uid=anna", { archived: false }, token), 401, /admin token is wrong/);
  });
});
