import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createToken } from "../../../src/service/access/tokens.js";
import { AT_ONCE } from "../support/bounds.js";
import { DAY, expectRefusal, SHOP, useFolder, useService } from "../support/fixtures.js";
import { API_TOKEN, until } from "../support/service.js";
import { linesOf, runTold } from "../support/told-command.js";

/* One person: what is told of it, its end, and its record. */

const folder = useFolder();
const service = useService({ bounds: AT_ONCE, workspaces: [SHOP] });
let admin = "";

const ask = (method: string, path: string, { token = admin, body }: { token?: string; body?: unknown } = {}) =>
  fetch(`${service.url}/v2/${path}`, {
    method,
    headers: {
      authorization: `Bearer ${encodeURIComponent(token)}`,
      ...(body !== undefined && { "content-type": "application/json" }),
    },
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
const erase = (uid: string, token = admin) => ask("POST", "contacts/erase", { token, body: { uid } });
const put = (path: string, body: unknown, token = admin) => ask("PUT", path, { token, body });
const send = (contact_uid: string, params: object = {}) => service.post({ contact_uid, event_uid: "seen", params });
const makeAdmin = (workspace: string) =>
  createToken(service.database, { workspace, kind: "admin", name: "maintenance", expiresAt: undefined });

it("is not there without an admin token, and is for its holder alone", async () => {
  await send("anna");
  const all = [
    "GET contacts/data?uid=anna",
    "DELETE contacts?uid=anna",
    "POST contacts/erase",
    "POST contacts/anonymise",
  ];
  for (const [method, path] of all.map((one) => one.split(" ") as [string, string]))
    await expectRefusal(await ask(method, path, { token: "any" }), 404, /^there is no /);
  admin = await makeAdmin("default");
  await until(async () => (await erase("anna", "wrong")).status === 401);
  for (const token of [API_TOKEN, "test-access-token"])
    await expectRefusal(await put("contacts?uid=anna", {}, token), 401, /admin token is wrong/);
  expect((await service.get("/v2/users", { authorization: `Bearer ${admin}` })).status).toBe(401);
  await expectRefusal(await erase(""), 400, /uid must not be empty/);
  await expectRefusal(await erase("nobody"), 404, /contact was not found/);
});

it("deletes the record of an account, whose events stay with their contacts", async () => {
  await send("dora", { account_uid: "undefined" });
  const { id } = await service.json("/v2/accounts?uid=undefined");
  expect(await (await ask("DELETE", `accounts/${id}`)).json()).toEqual({ object: "account", id, deleted: true });
  await expectRefusal(await ask("DELETE", `accounts/${id}`), 404, /account was not found/);
  expect((await service.json("/v2/contacts?uid=dora")).accounts.total).toBe(0);
  expect((await service.events("dora")).rows).toMatchObject([{ account_uid: "undefined" }]);
});

it("gives all that is stored of a person", async () => {
  await service.post('{"contact_uid":"carl","event_uid":"exact","params":{"a":1.10,"account_uid":"acme"}}');
  const whole = await (await ask("GET", "contacts/data?uid=carl")).text();
  expect(whole).toContain('"params":{"a":1.10,"account_uid":"acme"}');
  expect(JSON.parse(whole)).toEqual({
    object: "contact.data",
    contact: expect.objectContaining({ unique_id: "carl", accounts: ["acme"] }),
    events: [expect.objectContaining({ event_uid: "exact" })],
  });
});

it("erases a person, and says what it leaves out later", async () => {
  await send("anna", { account_uid: "acme" });
  const before = Date.now();
  for (const events of [2, 0]) {
    expect(await (await erase("anna")).json()).toEqual({ object: "erasure", events });
    await send("anna", { occurred_at: before - 1 });
  }
  expect(await service.metrics()).toMatch(/events_of_erased_total\{workspace="default"\} 2$/m);
  const line = { id: crypto.randomUUID(), received_at: before, contact_uid: "anna", event_uid: "old", params: {} };
  const file = join(folder, "events.ndjson");
  await writeFile(file, JSON.stringify(line));
  expect((await runTold(service.place, "import", file)).err).toMatch(
    /^left out 1 events of contacts that were erased/m,
  );
  expect((await service.get("/v2/contacts?uid=anna")).status).toBe(404);
});

it("keeps the events of a person without a name, and of their params those that are named, letter by letter", async () => {
  for (const n of [0, 1, 2])
    await service.post(
      `{"contact_uid":"paula","event_uid":"bought","params":{"n":${n}.0,"plan":"team","email":"d@e.f"}}`,
    );
  const anonymise = (params: unknown) => ask("POST", "contacts/anonymise", { body: { uid: "paula", params } });
  expect(await (await anonymise(["n", "plan", "none"])).json()).toEqual({ object: "erasure", events: 3 });
  const text = await (await service.get("/v2/events?event_uid=bought")).text();
  expect(text).toContain('"params":{"n":0.0,"plan":"team"}');
  const [{ contact_uid, received_at, occurred_at }] = JSON.parse(text).data;
  expect(contact_uid).toMatch(/^anonymous-[0-9a-f-]{36}$/);
  expect([received_at, occurred_at]).toEqual([(Math.floor(Date.now() / DAY) + 0.5) * DAY, null]);
  // Who follows learns that the old ones are gone.
  const [notice] = await service.database.query("SELECT ids FROM deletions ORDER BY id DESC LIMIT 1");
  expect(notice!.ids).toHaveLength(3);
  await expectRefusal(await anonymise("plan"), 400, /params must be an array/);
});

it("writes down who did what, when and to how many", async () => {
  const told = async (...more: string[]) => linesOf((await runTold(service.place, "audit", ...more)).out);
  const lines = await told();
  expect(lines.map(({ token, what, events }) => [token, what, events])).toEqual([
    ["maintenance", "deleted the account", null],
    ["maintenance", "read", 1],
    ["maintenance", "erase", 2],
    ["maintenance", "erase", 0],
    ["maintenance", "anonymise", 3],
  ]);
  expect(lines[3]).toEqual({ ...lines[2], at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/), events: 0 });
  expect(await told("--workspace", "shop")).toEqual([]);
});

it("takes a record of who knows it, and keeps what is left out of one that is there, in its workspace alone", async () => {
  const data = { name: "Eva\u0000", odd: "\ud800" };
  const made = await put("contacts?uid=eva", { data, accounts: ["beta"] });
  expect([made.status, await made.json()]).toMatchObject([
    200,
    { object: "contact", unique_id: "eva", archived: false, data },
  ]);
  const stage = { id: "1", name: "Trial" };
  await put("contacts?uid=eva", { stage, health: 7 });
  // Two change different members at once.
  await Promise.all([
    put("contacts?uid=eva", { archived: true, health: null }),
    put("contacts?uid=eva", { created_at: 5 }),
  ]);
  const record = await service.json("/v2/contacts?uid=eva");
  expect(record).toMatchObject({
    archived: true,
    stage,
    salesmachine: {},
    data,
    created_at: 5,
    accounts: { total: 1 },
  });
  const shop = await makeAdmin("shop");
  await until(async () => (await put("contacts?uid=eva", { data: { of: "shop" } }, shop)).status === 200);
  expect(await (await put("contacts?uid=eva", {})).json()).toEqual(record);
});

it("gives a health back as it was put, and takes one that the service itself has told for none", async () => {
  const health = async () => (await service.json("/v2/accounts?uid=acme")).salesmachine;
  for (const told of ["good", 80, "", 7.5, "80", -1, '\u0000"']) {
    expect((await (await put("accounts?uid=acme", { health: told })).json()).salesmachine).toEqual({ health: told });
    const itself = { health: "average", health_source: "activity: average" };
    for (const body of [itself, { salesmachine: itself }, { data: {} }]) await put("accounts?uid=acme", body);
    expect(await health()).toEqual({ health: told });
  }
  await put("accounts?uid=acme", { salesmachine: { health: "bad", health_source: "activity: good" } });
  expect(await health()).toEqual({ health: "bad" });
  await put("accounts?uid=acme", { health: null });
  expect(await health()).toMatchObject({ health_source: expect.stringMatching(/^activity: /) });
});

it("tells a health that nobody has set by activity, and lists by it", async () => {
  const days = { lively: [0, 1, 2, 3, 4], calm: [0, 3, 20], gone: [15, 16] };
  for (const [uid, all] of Object.entries(days))
    for (const day of all) await send(`of ${uid}`, { account_uid: uid, occurred_at: Date.now() - day * DAY });
  const told = async (uid: string) => {
    const [account, contact] = await Promise.all(
      [`accounts?uid=${uid}`, `contacts?uid=of ${uid}`].map((path) => service.json(`/v2/${path}`)),
    );
    expect(contact.salesmachine).toEqual(account.salesmachine);
    return account.salesmachine;
  };
  const of = (health: string) => ({ health, health_source: `activity: ${health}` });
  const sent = Date.now();
  await until(async () => (await service.json("/v2/numbers")).counted_to > sent);
  expect(await told("lively")).toEqual(of("good"));
  expect(await told("calm")).toEqual(of("average"));
  expect(await told("gone")).toEqual(of("bad"));
  // Written back a week later, when another one is told.
  for (const kind of ["accounts?uid=", "contacts?uid=of "]) await put(`${kind}gone`, { salesmachine: of("good") });
  expect(await told("gone")).toEqual(of("bad"));
  await put("accounts?uid=calm", { health: "good" });
  const list = async (kind: string, query: string) =>
    (await service.json(`/v2/numbers/${kind}s?span=30d&${query}`)).data.map(
      ({ unique_id, health, health_source }: Record<string, string>) => [unique_id, health, health_source],
    );
  const good = [
    ["calm", "good", null],
    ["lively", "good", "activity: good"],
  ];
  expect((await list("account", "health=good")).sort()).toEqual(good);
  expect(await list("contact", "health=bad&search=of ")).toEqual([["of gone", "bad", "activity: bad"]]);
  const sorted = await list("contact", "sort=health&search=of ");
  expect(sorted.map(([, health]: string[]) => health)).toEqual(["good", "average", "bad"]);
});

it.each<[string, unknown, RegExp]>([
  ["contacts?uid=a", { health: [] }, /^health must be/],
  ["contacts?uid=a", { plan: "x" }, /^plan is not known$/],
  ["accounts?uid=a", { archived: true }, /^archived is not known$/],
  ["contacts?uid=a", { data: [] }, /^data must be an object$/],
  ["contacts?uid=a", { accounts: [""] }, /^accounts.0 must not be empty$/],
  ["contacts?uid=a", { created_at: 1e300 }, /^created_at must be/],
  ["contacts?uid=a", "{", /JSON/],
  ["contacts", {}, /^uid is missing$/],
  ["contacts?uid=", {}, /^uid must not be empty$/],
])("refuses a record in words, and changes nothing: %s %j", async (path, body, text) => {
  await expectRefusal(await put(path, body), 400, text);
  expect((await service.get("/v2/contacts?uid=a")).status).toBe(404);
});
