import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { MAX_PARAMS_DEPTH } from "../../../src/service/ingest/schemas.js";
import { basic } from "../support/basic.js";
import { expectRefusal } from "../support/refusal.js";
import { API_TOKEN, type RunningService } from "../support/running-service.js";

/** `POST /v1/track/event`: what is stored of an event, and what is refused. */
export const eventCases = (running: () => RunningService): void => {
  let service: RunningService;
  beforeAll(() => {
    service = running();
  });

  let contacts = 0;
  const newContact = (): string => `contact-of-test-${++contacts}`;
  const nested = (levels: number): string => `${'{"a":'.repeat(levels - 1)}{}${"}".repeat(levels - 1)}`;

  describe("an accepted event", () => {
    it("is answered with the success body and is in the database by then", async () => {
      const contact_uid = newContact();
      const from = Date.now();
      const answer = await service.post({ contact_uid, event_uid: "signup", params: { account_uid: "account-01" } });
      expect(answer.status).toBe(200);
      expect(await answer.json()).toEqual({ status: "success" });
      const { rows } = await service.events(contact_uid);
      expect(rows).toEqual([
        {
          object: "event",
          id: expect.stringMatching(/^[0-9a-f-]{36}$/),
          received_at: expect.any(Number),
          occurred_at: null,
          contact_uid,
          account_uid: "account-01",
          event_uid: "signup",
          params: { account_uid: "account-01" },
          settled: false,
        },
      ]);
      expect(rows[0]!.received_at).toBeGreaterThanOrEqual(from);
    });

    it("needs no params", async () => {
      const contact_uid = newContact();
      expect((await service.post({ contact_uid, event_uid: "bare" })).status).toBe(200);
      expect((await service.events(contact_uid)).rows[0]!.params).toEqual({});
    });

    it.each(["text/plain", "text/plain;charset=UTF-8", "application/json; charset=utf-8", "APPLICATION/JSON"])(
      "may come as %s",
      async (type) => {
        const contact_uid = newContact();
        expect((await service.post({ contact_uid, event_uid: "typed" }, { "content-type": type })).status).toBe(200);
        expect((await service.events(contact_uid)).rows).toHaveLength(1);
      },
    );

    it("makes bare records of an unknown contact and its account, once, however many arrive at a time", async () => {
      const contact_uid = newContact();
      const answers = await Promise.all(
        Array.from({ length: 40 }, (_, index) =>
          service.post({
            contact_uid,
            event_uid: "burst",
            params: { index, account_uid: `account of ${contact_uid}` },
          }),
        ),
      );
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
      const { rows } = await service.events(contact_uid);
      expect(rows.map(({ params }) => params.index).sort((a, b) => Number(a) - Number(b))).toEqual([...answers.keys()]);
      expect(new Set(rows.map(({ id }) => id)).size).toBe(40);
      const record = await (await service.get(`/v2/contacts?uid=${contact_uid}`)).json();
      expect(record).toMatchObject({
        object: "contact",
        unique_id: contact_uid,
        archived: false,
        data: {},
        salesmachine: {},
      });
      expect(record).not.toHaveProperty("stage");
      const account = await (await service.get(`/v2/accounts?uid=account of ${contact_uid}`)).json();
      expect(account).toEqual({
        object: "account",
        id: expect.any(String),
        unique_id: `account of ${contact_uid}`,
        created_at: record.created_at,
        data: {},
        salesmachine: {},
        contacts: { object: "contact.list", data: [{ id: record.id }], total: 1 },
      });
      expect(record.accounts.data).toEqual([{ id: account.id }]);
    });
  });

  describe("members of a body that are not known", () => {
    it("are left out, listed in the answer and counted", async () => {
      const body = { contact_uid: newContact(), event_uid: "seen", parmas: {}, params: { a: 1 }, extra: 2 };
      const answer = await service.post(body);
      expect([answer.status, await answer.json()]).toEqual([200, { status: "success", ignored: ["parmas", "extra"] }]);
      expect((await service.events(body.contact_uid)).rows).toMatchObject([{ params: { a: 1 } }]);
      const metrics = await service.metrics();
      expect(metrics).toMatch(/^tracklet_events_with_ignored_members_total [1-9]/m);
    });

    it.each(["parmas", "param", "Params"])("are refused where params was probably meant: %s", async (name) => {
      const contact_uid = newContact();
      const answer = await service.post({ contact_uid, event_uid: "seen", [name]: { a: 1 } });
      await expectRefusal(
        answer,
        400,
        /^params is missing, but a member is called nearly so: params was probably meant$/,
      );
      expect((await service.events(contact_uid)).rows).toEqual([]);
    });
  });

  describe("what is stored", () => {
    it.each([
      ["numbers that no double holds", '{"a":1e400,"b":12345678901234567890,"c":-0,"d":1.10}'],
      ["NUL and other control characters", String.raw`{"a\u0000b":"c\u0000d\u001f"}`],
      ["lone surrogates", String.raw`{"high":"\ud83d","low":"\ude00x"}`],
      ["a member named __proto__", '{"__proto__":{"polluted":true},"constructor":{"prototype":1}}'],
      ["repeated keys and odd escapes", String.raw`{"k":1,"k":2,"\u006b":3,"q":"\"}{\\"}`],
      ["every script", '{"text":"żółć 漢字 🦊 \\u2028"}'],
      ["params as deep as allowed", nested(MAX_PARAMS_DEPTH)],
    ])("is the text of the params as sent: %s", async (_name, params) => {
      const contact_uid = newContact();
      const answer = await service.post(`{ "params" : ${params} ,"contact_uid":"${contact_uid}","event_uid":"exact"}`);
      expect(answer.status).toBe(200);
      expect((await service.events(contact_uid)).text).toContain(`"event_uid":"exact","params":${params},"settled"`);
      expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    });

    it("keeps uids of any text and any length apart", async () => {
      const uids = ["a\u0000b", "a\ud83d", "a\ud83e", "a\\u0000b", "'; DROP TABLE events; --", "ä".repeat(4_000)];
      for (const contact_uid of uids) {
        expect((await service.post({ contact_uid, event_uid: contact_uid })).status).toBe(200);
      }
      const { data: events } = await (await service.get("/v2/events?limit=10000")).json();
      for (const uid of uids)
        expect(events.filter((row: { contact_uid: string }) => row.contact_uid === uid)).toMatchObject([
          { event_uid: uid },
        ]);
    });
  });

  describe("stamps", () => {
    const sendAsServer = (event: object) => service.post(event, basic(`${API_TOKEN}:`), "");

    it("store an event once, whether its repeats come later or at the same time", async () => {
      const contact_uid = newContact();
      const event = { contact_uid, event_uid: "stamped", params: { event_id: "3f1c\u0000", occurred_at: 1 } };
      const answers = await Promise.all(Array.from({ length: 20 }, () => sendAsServer(event)));
      answers.push(await sendAsServer(event));
      for (const answer of answers) expect([answer.status, await answer.json()]).toEqual([200, { status: "success" }]);
      expect((await service.events(contact_uid)).rows).toHaveLength(1);
    });

    it("do not make repeats of events without one, or with one that is no text or empty", async () => {
      const contact_uid = newContact();
      for (const event_id of [undefined, undefined, 7, 7, "", "", "a", "b"])
        await sendAsServer({ contact_uid, event_uid: "plain", params: { event_id } });
      expect((await service.events(contact_uid)).rows).toHaveLength(8);
    });

    it("of a page are those of the script alone, a UUID beside source and number", async () => {
      const contact_uid = newContact();
      const stamp = { event_id: randomUUID(), event_source: randomUUID(), event_seq: 1 };
      const own = [{ event_id: "ticket" }, { ...stamp, event_id: "ticket" }, { ...stamp, event_source: "" }];
      for (const params of [stamp, ...own, { ...stamp, event_seq: "1" }])
        for (const event of Array(2).fill({ contact_uid, event_uid: "own", params })) await service.post(event);
      expect((await service.events(contact_uid)).rows).toHaveLength(9);
    });
  });

  describe("authentication", () => {
    const body = { contact_uid: "contact-001", event_uid: "auth" };

    it("takes HTTP Basic with the token as user name, in UTF-8, and an empty password", async () => {
      expect((await service.post(body, basic(`${API_TOKEN}:`), "")).status).toBe(200);
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
      expect(answer.headers.get("www-authenticate")).toMatch(
        query === "" ? /^Basic realm=.+ charset="UTF-8"$/ : /^ApiToken /,
      );
      await expectRefusal(answer, 401, /API token is (missing|wrong)/);
    });
  });

  describe("a refused event", () => {
    it.each<[string, unknown, RegExp]>([
      ["no contact_uid", { event_uid: "e" }, /contact_uid is missing/],
      ["no event_uid", { contact_uid: "c" }, /event_uid is missing/],
      ["an empty contact_uid", { contact_uid: "", event_uid: "e" }, /contact_uid must not be empty/],
      ["a number as contact_uid", { contact_uid: 7, event_uid: "e" }, /contact_uid must be a string/],
      ["null as event_uid", { contact_uid: "c", event_uid: null }, /event_uid must be a string/],
      ["an array as params", { contact_uid: "c", event_uid: "e", params: [] }, /params must be an object/],
      ["null as params", { contact_uid: "c", event_uid: "e", params: null }, /params must be an object/],
      ["text as params", { contact_uid: "c", event_uid: "e", params: "{}" }, /params must be an object/],
      ["several wrong members", { contact_uid: 1 }, /event_uid is missing.*contact_uid must be/],
      ["members of a __proto__ alone", '{"__proto__":{"contact_uid":"c","event_uid":"e"}}', /contact_uid is missing/],
      ["an array", [], /the body must be an object/],
      ["null", "null", /the body must be an object/],
      ["malformed JSON", '{"contact_uid":', /the body must be JSON/],
      ["nothing", "", /the body must be JSON/],
      ["bytes that are not UTF-8", new Uint8Array([0x22, 0xff, 0x22]), /not UTF-8/],
      [
        "params nested too deep",
        `{"contact_uid":"c","event_uid":"e","params":${nested(MAX_PARAMS_DEPTH + 1)}}`,
        /64 levels/,
      ],
      [
        "arrays nested without end",
        `{"contact_uid":"c","event_uid":"e","params":{"a":${"[".repeat(9_000)}${"]".repeat(9_000)}}}`,
        /64 levels/,
      ],
    ])("is answered with 400 that says why: %s", async (_name, body, text) => {
      await expectRefusal(await service.post(body), 400, text);
    });

    it("is not stored", async () => {
      const before = await (await service.get("/v2/events?limit=10000")).text();
      await service.post({ contact_uid: "contact-001", event_uid: "", params: {} });
      expect(await (await service.get("/v2/events?limit=10000")).text()).toBe(before);
    });

    it.each([20_001, 3_000_000])(
      "gets 413 where its body has %i bytes, on a connection that lives on",
      async (bytes) => {
        const event = { contact_uid: "contact-001", event_uid: "large", params: { filler: "" } };
        event.params.filler = "x".repeat(bytes - JSON.stringify(event).length);
        const answer = await service.post(event);
        expect(answer.headers.get("connection")).toBe("keep-alive");
        await expectRefusal(answer, 413, /over 20000 bytes/);
      },
    );

    it("is accepted at exactly the limit", async () => {
      const event = { contact_uid: newContact(), event_uid: "large", params: { filler: "" } };
      event.params.filler = "x".repeat(20_000 - JSON.stringify(event).length);
      expect((await service.post(event)).status).toBe(200);
    });

    it.each(["text/html", "application/x-www-form-urlencoded", "application/vnd.api+json", "nonsense"])(
      "gets 415 as %s",
      async (type) =>
        expectRefusal(
          await service.post({ contact_uid: "c", event_uid: "e" }, { "content-type": type }),
          415,
          /application\/json/,
        ),
    );

    it("gets 415 when it is compressed", async () => {
      await expectRefusal(await service.post("{}", { "content-encoding": "gzip" }), 415, /gzip/);
    });
  });
};
