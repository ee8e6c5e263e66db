import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { MAX_PARAMS_DEPTH } from "../../../src/service/ingest/schemas.js";
import { expectRefusal, useService } from "../support/fixtures.js";
import { API_TOKEN, basic } from "../support/service.js";

/* `POST /v1/track/event`: what is stored of an event, and what is refused. */

const SERVER_TOKEN = "test-server-token";
const service = useService({ maxEventBytes: 110_000, gpc: "obey", serverToken: SERVER_TOKEN });
let contacts = 0;
const newContact = (): string => `contact-of-test-${++contacts}`;
const nested = (levels: number): string => `${'{"a":'.repeat(levels - 1)}{}${"}".repeat(levels - 1)}`;

it("is answered with the success body, is in the database by then, and makes bare records", async () => {
  const [contact_uid, from] = [newContact(), Date.now()];
  const answer = await service.post({ contact_uid, event_uid: "signup", params: { account_uid: "account-new" } });
  expect([answer.status, await answer.json()]).toEqual([200, { status: "success" }]);
  const { rows } = await service.events(contact_uid);
  expect(rows).toEqual([
    {
      object: "event",
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      received_at: expect.any(Number),
      occurred_at: null,
      contact_uid,
      account_uid: "account-new",
      event_uid: "signup",
      params: { account_uid: "account-new" },
      settled: false,
    },
  ]);
  expect(rows[0]!.received_at).toBeGreaterThanOrEqual(from);
  const contact = await service.json(`/v2/contacts?uid=${contact_uid}`);
  expect(contact).toMatchObject({ object: "contact", archived: false, data: {}, salesmachine: {} });
  expect(contact).not.toHaveProperty("stage");
  const account = await service.json("/v2/accounts?uid=account-new");
  expect(account).toEqual({
    object: "account",
    id: expect.any(String),
    unique_id: "account-new",
    created_at: contact.created_at,
    data: {},
    salesmachine: { health: "bad", health_source: "activity: bad" },
    contacts: { object: "contact.list", data: [{ id: contact.id }], total: 1 },
  });
  expect(contact.accounts.data).toEqual([{ id: account.id }]);
  // By their ids they are the same.
  expect(await service.json(`/v2/accounts/${account.id}`)).toEqual(account);
  expect(await service.json(`/v2/contacts/${contact.id}`)).toEqual(contact);
});

it.each(["text/plain", "text/plain;charset=UTF-8", "application/json; charset=utf-8", "APPLICATION/JSON"])(
  "may come as %s, and without params",
  async (type) => {
    const contact_uid = newContact();
    expect((await service.post({ contact_uid, event_uid: "typed" }, { "content-type": type })).status).toBe(200);
    expect((await service.events(contact_uid)).rows).toMatchObject([{ params: {} }]);
  },
);

it("leaves members that are not known out, lists them in the answer and counts them", async () => {
  const body = { contact_uid: newContact(), event_uid: "seen", parmas: {}, params: { a: 1 }, extra: 2 };
  const answer = await service.post(body);
  expect([answer.status, await answer.json()]).toEqual([200, { status: "success", ignored: ["parmas", "extra"] }]);
  expect((await service.events(body.contact_uid)).rows).toMatchObject([{ params: { a: 1 } }]);
  expect(await service.metrics()).toMatch(/^tracklet_events_with_ignored_members_total [1-9]/m);
});

it.each([
  ["numbers that no double holds", '{"a":1e400,"b":12345678901234567890,"c":-0,"d":1.10}'],
  ["NUL and other control characters", String.raw`{"a\u0000b":"c\u0000d\u001f"}`],
  ["lone surrogates", String.raw`{"high":"\ud83d","low":"\ude00x"}`],
  ["a member named __proto__", '{"__proto__":{"polluted":true},"constructor":{"prototype":1}}'],
  ["repeated keys and odd escapes", String.raw`{"k":1,"k":2,"\u006b":3,"q":"\"}{\\"}`],
  ["every script", '{"text":"żółć 漢字 🦊 \\u2028"}'],
  ["params as deep as allowed", nested(MAX_PARAMS_DEPTH)],
])("stores the text of the params as sent: %s", async (_name, params) => {
  const contact_uid = newContact();
  const answer = await service.post(`{ "params" : ${params} ,"contact_uid":"${contact_uid}","event_uid":"exact"}`);
  expect(answer.status).toBe(200);
  expect((await service.events(contact_uid)).text).toContain(`"event_uid":"exact","params":${params},"settled"`);
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
});

it("keeps uids of any text and any length apart", async () => {
  const uids = ["a\u0000b", "a\ud83d", "a\ud83e", "a\\u0000b", "'; DROP TABLE events; --", "ä".repeat(4_000)];
  for (const uid of uids) expect((await service.post({ contact_uid: uid, event_uid: uid })).status).toBe(200);
  const { data } = await service.json("/v2/events?limit=10000");
  for (const uid of uids)
    expect(data.filter((row: { contact_uid: string }) => row.contact_uid === uid)).toMatchObject([{ event_uid: uid }]);
});

it("takes for a stamp a text alone, and of a page that of the script alone: a UUID beside source and number", async () => {
  const contact_uid = newContact();
  for (const event_id of [undefined, undefined, 7, 7, "", "", "a", "b"])
    await service.post({ contact_uid, event_uid: "plain", params: { event_id } }, basic(`${API_TOKEN}:`), "");
  const stamp = { event_id: randomUUID(), event_source: randomUUID(), event_seq: 1 };
  const own = [{ event_id: "ticket" }, { ...stamp, event_id: "ticket" }, { ...stamp, event_source: "" }];
  for (const params of [stamp, ...own, { ...stamp, event_seq: "1" }])
    for (const event of Array(2).fill({ contact_uid, event_uid: "own", params })) await service.post(event);
  expect((await service.events(contact_uid)).rows).toHaveLength(8 + 9);
});

it.each<[string, Record<string, string>, string]>([
  ["no token", {}, ""],
  ["a wrong parameter", {}, "?api_token=wrong"],
  ["an empty parameter", {}, "?api_token="],
  ["two parameters", {}, `?api_token=${API_TOKEN}&api_token=${API_TOKEN}`],
  ["a password", basic(`${API_TOKEN}:secret`), ""],
  ["a wrong user name", basic("wrong:"), ""],
  ["Basic without a colon", basic(API_TOKEN), ""],
  ["the token as Bearer", { authorization: "Bearer test-access-token" }, ""],
])("answers 401 to %s, before it looks at the body", async (_name, headers, query) => {
  const answer = await service.post("{", headers, query);
  const way = query === "" ? /^Basic realm=.+ charset="UTF-8"$/ : /^ApiToken /;
  expect(answer.headers.get("www-authenticate")).toMatch(way);
  await expectRefusal(answer, 401, /API token is (missing|wrong)/);
});

const event = (more: object) => ({ contact_uid: "c", event_uid: "e", ...more });
const deep = (params: string) => `{"contact_uid":"c","event_uid":"e","params":${params}}`;
it.each<[string, unknown, RegExp]>([
  ["no contact_uid", { event_uid: "e" }, /contact_uid is missing/],
  ["no event_uid", { contact_uid: "c" }, /event_uid is missing/],
  ["an empty contact_uid", event({ contact_uid: "" }), /contact_uid must not be empty/],
  ["a number as contact_uid", event({ contact_uid: 7 }), /contact_uid must be a string/],
  ["null as event_uid", event({ event_uid: null }), /event_uid must be a string/],
  ["an array as params", event({ params: [] }), /params must be an object/],
  ["null as params", event({ params: null }), /params must be an object/],
  [
    "params with a typing error",
    event({ parmas: {} }),
    /^params is missing, but a member is called nearly so: params was/,
  ],
  ["several wrong members", { contact_uid: 1 }, /contact_uid must be.*event_uid is missing/],
  ["members of a __proto__ alone", '{"__proto__":{"contact_uid":"c","event_uid":"e"}}', /contact_uid is missing/],
  ["an array", [], /the body must be an object/],
  ["null", "null", /the body must be an object/],
  ["malformed JSON", '{"contact_uid":', /the body must be JSON/],
  ["nothing", "", /the body must be JSON/],
  ["bytes that are not UTF-8", new Uint8Array([0x22, 0xff, 0x22]), /not UTF-8/],
  ["params nested too deep", deep(nested(MAX_PARAMS_DEPTH + 1)), /64 levels/],
  ["arrays nested without end", deep(`{"a":${"[".repeat(9_000)}${"]".repeat(9_000)}}`), /64 levels/],
])("is answered with 400 that says why: %s", async (_name, body, text) => {
  await expectRefusal(await service.post(body), 400, text);
});

it.each([110_001, 3_000_000])("gets 413 where its body has %i bytes, on a connection that lives on", async (bytes) => {
  const large = (bytes: number) => {
    const filler = (text: string) => event({ params: { filler: text } });
    return filler("x".repeat(bytes - JSON.stringify(filler("")).length));
  };
  const answer = await service.post(large(bytes));
  expect(answer.headers.get("connection")).toBe("keep-alive");
  await expectRefusal(answer, 413, /over 110000 bytes/);
  expect((await service.post(large(110_000))).status).toBe(200);
});

it.each<[Record<string, string>, RegExp]>([
  [{ "content-type": "text/html" }, /application\/json/],
  [{ "content-type": "application/x-www-form-urlencoded" }, /application\/json/],
  [{ "content-type": "nonsense" }, /application\/json/],
  [{ "content-encoding": "gzip" }, /gzip/],
])("gets 415 as %j", async (headers, words) => expectRefusal(await service.post(event({}), headers), 415, words));

it("takes events of a browser with Sec-GPC for stored, stores none of them, and counts them", async () => {
  const event = (event_uid: string) => ({ contact_uid: "private", event_uid });
  const asked = { "sec-gpc": "1" };
  const one = await service.post(event("one"), asked);
  expect([one.status, await one.json()]).toEqual([200, { status: "success" }]);
  const several = await service.several([event("two"), event("three")], asked);
  expect([several.status, await several.json()]).toEqual([200, [0, 1].map((index) => ({ index, status: "stored" }))]);
  for (const { headers } of [one, several]) expect(headers.get("tracklet-batch")).toBe("1000");
  // What is wrong is told all the same.
  expect((await service.post({ contact_uid: "private" }, asked)).status).toBe(400);
  await service.post(event("of a server"), asked, `?api_token=${SERVER_TOKEN}`);
  await service.post(event("without"), { "sec-gpc": "0" });
  const { rows } = await service.events("private");
  expect(rows.map(({ event_uid }) => event_uid)).toEqual(["of a server", "without"]);
  expect(await service.metrics()).toContain("\ntracklet_events_obeyed_total 3\n");
});

it("refuses quotation marks as quickly as any other 100 kB", async () => {
  const bodies = (text: string) => [
    text,
    `{"contact_uid":7,"event_uid":${JSON.stringify(text)}}`,
    // Each mark might begin a text that does not end.
    `{"contact_uid":"ann","event_uid":${JSON.stringify(text).slice(0, -1)}`,
  ];
  /** Milliseconds until these, and what is asked after them, are answered. */
  const timeOf = async (all: string[]): Promise<number> => {
    const began = performance.now();
    for (const body of all) expect((await service.post(body)).status).toBe(400);
    for (let time = 0; time < 20; time += 1) expect((await service.get("/healthz")).status).toBe(200);
    return performance.now() - began;
  };
  const [others, marks] = ["x", '"'].map((one) => bodies(one.repeat(50_000)));
  // The first time is that of a start.
  await timeOf(others!);
  expect(20 * (await timeOf(others!))).toBeGreaterThan(await timeOf(marks!));
});
