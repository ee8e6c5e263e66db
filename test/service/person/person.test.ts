import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createToken } from "../../../src/service/access/tokens.js";
import { importFile } from "../../../src/service/commands/import.js";
import type { Database } from "../../../src/service/database/database.js";
import { openDatabase } from "../../../src/service/database/open-database.js";
import { dataFolder } from "../../support/data-folder.js";
import { AT_ONCE } from "../support/bounds.js";
import { overDatabase } from "../support/over-database.js";
import { expectRefusal } from "../support/refusal.js";
import { API_TOKEN, type RunningService, startService, until } from "../support/running-service.js";
import { runTold } from "../support/told-command.js";

const SHOP = { name: "shop", apiToken: "shop-api-token", accessToken: "shop-access-token" };
const DAY = 86_400_000;

overDatabase((place) => {
  let database: Database;
  let service: RunningService;
  let admin = "";
  beforeAll(async () => {
    database = await openDatabase(place());
    service = await startService({ ...place(), database, bounds: AT_ONCE, workspaces: [SHOP] });
  });
  afterAll(() => service.close());

  const ask = (method: string, path: string, { token = admin, body }: { token?: string; body?: object } = {}) =>
    fetch(service.url + path, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body && { "content-type": "application/json" }) },
      ...(body && { body: JSON.stringify(body) }),
    });
  const erase = (uid: string, token = admin) => ask("POST", "/v2/contacts/erase", { token, body: { uid } });
  const send = async (contact_uid: string, params: object = {}, token = API_TOKEN) =>
    expect(
      (await service.post({ contact_uid, event_uid: "seen", params }, {}, `?api_token=${encodeURIComponent(token)}`))
        .status,
    ).toBe(200);
  const stored = async (contact: string): Promise<Record<string, unknown>[]> =>
    (await (await service.get(`/v2/events?contact_uid=${contact}&limit=1000`)).json()).data;
  const run = async (...args: string[]): Promise<string> => (await runTold(place(), ...args)).out;

  it("is not there without an admin token, and is for its holder alone", async () => {
    await send("anna");
    for (const [method, path] of [
      ["GET", "/v2/contacts/data?uid=anna"],
      ["DELETE", "/v2/contacts?uid=anna"],
      ["POST", "/v2/contacts/erase"],
      ["POST", "/v2/contacts/anonymise"],
    ] as const)
      await expectRefusal(await ask(method, path, { token: "any" }), 404, /^there is no /);
    const of = { workspace: "default", kind: "admin", expiresAt: undefined } as const;
    admin = await createToken(database, { ...of, name: "maintenance" });
    await until(async () => ((await erase("anna", "wrong")).status === 401 ? true : undefined));
    for (const token of [API_TOKEN, "test-access-token", "wrong"])
      await expectRefusal(
        await ask("DELETE", "/v2/contacts?uid=anna", { token: encodeURIComponent(token) }),
        401,
        /admin token is wrong/,
      );
    expect((await service.get("/v2/users", { authorization: `Bearer ${admin}` })).status).toBe(401);
    await expectRefusal(await erase(""), 400, /uid must not be empty/);
    await expectRefusal(await erase("nobody"), 404, /contact was not found/);
    expect(await stored("anna")).toHaveLength(1);
  });

  it("gives all that is stored of a person", async () => {
    await service.post('{"contact_uid":"carl","event_uid":"exact","params":{"a":1.10,"account_uid":"acme"}}');
    const answer = await ask("GET", "/v2/contacts/data?uid=carl");
    const whole = await answer.text();
    expect(whole).toContain('"params":{"a":1.10,"account_uid":"acme"}');
    expect(JSON.parse(whole)).toEqual({
      object: "contact.data",
      contact: expect.objectContaining({ unique_id: "carl", accounts: ["acme"] }),
      events: [expect.objectContaining({ event_uid: "exact" })],
    });
  });

  it("erases a person of one workspace, and says what it leaves out later", async () => {
    await send("anna", { account_uid: "acme", occurred_at: Date.now() + DAY / 2 });
    await send("anna", {}, SHOP.apiToken);
    const before = Date.now();
    expect(await (await erase("anna")).json()).toEqual({ object: "erasure", events: 2 });
    const shop = await service.get("/v2/events?contact_uid=anna", { authorization: `Bearer ${SHOP.accessToken}` });
    expect((await shop.json()).data).toHaveLength(1);
    await expectRefusal(await erase("anna", "shop-access-token"), 401, /wrong/);
    await send("anna", { occurred_at: before - 1 });
    expect(await service.metrics()).toMatch(/events_of_erased_total\{workspace="default"\} 1$/m);
    expect(await (await erase("anna")).json()).toEqual({ object: "erasure", events: 0 });

    // An export of before brings nobody back either.
    const file = join(await dataFolder(), "events.ndjson");
    const line = { id: crypto.randomUUID(), received_at: before, contact_uid: "anna", event_uid: "old", params: {} };
    await writeFile(file, JSON.stringify(line));
    const records = join(await dataFolder(), "contacts.ndjson");
    await writeFile(records, JSON.stringify({ unique_id: "anna", created_at: 1, data: { name: "Anna" } }));
    const said: string[] = [];
    for (const one of [file, records])
      expect(
        await importFile(database, { workspace: "default", file: one, say: (text) => void said.push(text) }),
      ).toMatchObject({ lines: 0 });
    expect(said).toContainEqual(expect.stringMatching(/^left out 1 events of contacts that were erased/));
    await run("workspace", "copy", SHOP.name, "default");
    expect(await stored("anna")).toEqual([]);
    expect((await service.get("/v2/contacts?uid=anna")).status).toBe(404);
  });

  it("keeps the events of a person without a name", async () => {
    for (let number = 0; number < 3; number += 1)
      await service.post(
        `{"contact_uid":"dora","event_uid":"bought","params":{"n":${number}.0,"plan":"team","email":"d@e.f"}}`,
      );
    const day = Math.floor(Date.now() / DAY) * DAY;
    const answer = await ask("POST", "/v2/contacts/anonymise", {
      body: { uid: "dora", params: ["n", "plan", "none"] },
    });
    expect(await answer.json()).toEqual({ object: "erasure", events: 3 });
    expect(await stored("dora")).toEqual([]);
    const { data } = await (await service.get("/v2/events?event_uid=bought")).json();
    const [{ contact_uid }] = data;
    expect(contact_uid).toMatch(/^anonymous-[0-9a-f-]{36}$/);
    expect(data).toMatchObject(
      [0, 1, 2].map((n) => ({ contact_uid, received_at: day, occurred_at: null, params: { n, plan: "team" } })),
    );
    expect(JSON.stringify(data)).not.toContain("d@e.f");
    const rows = await database.query<{ params: string }>(
      "SELECT params FROM events WHERE event_uid = 'bought' ORDER BY id",
    );
    expect(rows[0]!.params).toBe('{"n":0.0,"plan":"team"}');
    expect((await service.get(`/v2/contacts?uid=${contact_uid}`)).status).toBe(200);
    // Who follows learns that the old ones are gone.
    expect((await database.query("SELECT ids FROM deletions ORDER BY id DESC LIMIT 1"))[0]!.ids).toHaveLength(3);
    await expectRefusal(
      await ask("POST", "/v2/contacts/anonymise", { body: { uid: "dora", params: "plan" } }),
      400,
      /params must be an array/,
    );
  });

  it("writes down who did what, when and to how many", async () => {
    const lines = (await run("audit"))
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    const [subject] = lines.filter(({ what }) => what === "erase").map((line) => line.subject);
    expect(lines.map(({ token, what, events }) => [token, what, events])).toEqual([
      ["maintenance", "read", 1],
      ["maintenance", "erase", 2],
      ["maintenance", "erase", 0],
      ["maintenance", "anonymise", 3],
    ]);
    expect(lines[2]).toEqual({ ...lines[1], at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/), events: 0, subject });
    expect((await run("audit", "--workspace", "shop")).trim()).toBe("");
  });
});
