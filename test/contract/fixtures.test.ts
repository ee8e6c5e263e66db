/**
 * Every operation of `tracklet/read` and `tracklet/send` against answers written by hand from the service's interface.
 * Each fixture names the route or the rule that it comes from; none was made by the project's own service, so that the
 * client and that service cannot agree on a mistake.
 */
import { describe, expect, it } from "vitest";
import { createReader, NotFoundError, type Reader, type User } from "../../src/read.js";
import { type SendConfig, type ServerEvent, sendEvent } from "../../src/send.js";
import { JSON_TYPE, type RawRequest, type Reply, withWire } from "./wire.js";

/** What the fixture server accepts, and what it then answers. */
interface Fixture {
  method: string;
  target: string;
  headers: Record<string, string | undefined>;
  body: string;
  reply: Reply;
}

/** Serves the fixtures in their order, and compares the raw requests with them. */
const against = async <T>(fixtures: Fixture[], use: (url: string) => PromiseLike<T>): Promise<T> => {
  let next = 0;
  return withWire(
    () => fixtures[next++]?.reply,
    async ({ url, requests }) => {
      const result = await use(url);
      const seen = requests.map(({ method, target, headers, body }: RawRequest, index) => ({
        method,
        target,
        headers: Object.fromEntries(Object.keys(fixtures[index]?.headers ?? {}).map((name) => [name, headers[name]])),
        body,
      }));
      expect(seen).toEqual(fixtures.map(({ reply: _, ...request }) => request));
      return result;
    },
  );
};

// Accounts, contacts and users: `Accept: application/json` and `Authorization: Bearer <ACCESS_TOKEN>`.
const get = (target: string, body: string, status = 200): Fixture => ({
  method: "GET",
  target,
  headers: { accept: "application/json", authorization: "Bearer access-token", "content-type": undefined },
  body: "",
  reply: { status, headers: JSON_TYPE, body },
});

const read = <T>(fixtures: Fixture[], look: (reader: Reader) => PromiseLike<T>): Promise<T> =>
  against(fixtures, (url) => look(createReader({ baseUrl: url, accessToken: "access-token" })));

// An account or contact is identified by an id and a unique id; the interface shows no other fields.
const RECORD = '{"id":"5f1e","unique_id":"acme","anything":{"else":[1,2]}}';
const record = { id: "5f1e", unique_id: "acme", anything: { else: [1, 2] } };

// The body of a 404: a JSON object with one string member `error`.
const NOT_FOUND = '{"error":"Object not found"}';

describe("accounts and contacts", () => {
  it("GET /v2/accounts/:id", () =>
    expect(read([get("/v2/accounts/5f1e", RECORD)], (reader) => reader.accounts.get("5f1e"))).resolves.toEqual(record));

  it("GET /v2/accounts?uid=<unique_id>", () =>
    expect(
      read([get("/v2/accounts?uid=acme", RECORD)], (reader) => reader.accounts.findByUid("acme")),
    ).resolves.toEqual(record));

  it("GET /v2/contacts/:id", () =>
    expect(read([get("/v2/contacts/5f1e", RECORD)], (reader) => reader.contacts.get("5f1e"))).resolves.toEqual(record));

  it("GET /v2/contacts?uid=<unique_id>", () =>
    expect(
      read([get("/v2/contacts?uid=acme", RECORD)], (reader) => reader.contacts.findByUid("acme")),
    ).resolves.toEqual(record));

  it("404: the object was not found", async () => {
    const fixtures = [
      get("/v2/accounts/0", NOT_FOUND, 404),
      get("/v2/contacts/0", NOT_FOUND, 404),
      get("/v2/accounts?uid=0", NOT_FOUND, 404),
      get("/v2/contacts?uid=0", NOT_FOUND, 404),
    ];
    await read(fixtures, async (reader) => {
      for (const { get } of [reader.accounts, reader.contacts]) {
        const error = await get("0").catch((reason: unknown) => reason);
        expect(error).toBeInstanceOf(NotFoundError);
        expect(error).toMatchObject({ status: 404, error: "Object not found" });
      }
      await expect(reader.accounts.findByUid("0")).resolves.toBeNull();
      await expect(reader.contacts.findByUid("0")).resolves.toBeNull();
    });
  });
});

// Members of a user: object, id, created_at, email, name, role, enabled.
const user = (id: string): User => ({
  object: "user",
  id,
  created_at: 1_393_258_541,
  email: "john.doe@example.com",
  name: "John Doe",
  role: "admin",
  enabled: true,
});
const USER = (id: string) =>
  `{"object":"user","id":"${id}","created_at":1393258541,"email":"john.doe@example.com","name":"John Doe","role":"admin","enabled":true}`;
// A page is a `user.list`, with a pagination of total, offset, limit, count, next.
const USERS = (data: string, pagination: string) =>
  `{"object":"user.list","data":[${data}],"pagination":{${pagination}}}`;

describe("users", () => {
  it("GET /v2/users, where offset, limit (25) and order (desc) are the service's to choose", async () => {
    const answer = USERS(
      USER("u1"),
      '"total":60,"offset":0,"limit":25,"count":25,"next":"https://api.example.com/v2/users?offset=25&limit=25"',
    );
    const { object, data, pagination } = await read([get("/v2/users", answer)], (reader) => reader.users.list());
    expect(object).toBe("user.list");
    expect(data).toEqual([user("u1")]);
    expect(pagination).toEqual({
      total: 60,
      offset: 0,
      limit: 25,
      count: 25,
      next: "https://api.example.com/v2/users?offset=25&limit=25",
    });
  });

  it("GET /v2/users: offset, limit up to 100, order asc or desc, sort created_at", async () => {
    const answer = USERS("", '"total":0,"offset":0,"limit":100,"count":0');
    await read([get("/v2/users?offset=0&limit=100&order=asc&sort=created_at", answer)], (reader) =>
      reader.users.list({ offset: 0, limit: 100, order: "asc", sort: "created_at" }),
    );
    await read([get("/v2/users?order=desc", answer)], (reader) => reader.users.list({ order: "desc" }));
    await read([], async (reader) => {
      expect(() => reader.users.list({ limit: 101 })).toThrow("limit");
      expect(() => reader.users.list({ sort: "name" as "created_at" })).toThrow("sort");
    });
  });

  // `pagination.next` carries the URL for the following page.
  it("GET /v2/users: the pages follow one another to the end", async () => {
    const next = (offset: number) => `"next":"https://api.example.com/v2/users?offset=${offset}&limit=1"`;
    const fixtures = [
      get("/v2/users?limit=1", USERS(USER("u1"), `"total":3,"offset":0,"limit":1,"count":1,${next(1)}`)),
      get("/v2/users?limit=1&offset=1", USERS(USER("u2"), `"total":3,"offset":1,"limit":1,"count":1,${next(2)}`)),
      get("/v2/users?limit=1&offset=2", USERS(USER("u3"), '"total":3,"offset":2,"limit":1,"count":1')),
    ];
    const ids = await read(fixtures, async (reader) => {
      const found: string[] = [];
      for await (const { id } of reader.users.list({ limit: 1 })) found.push(id);
      return found;
    });
    expect(ids).toEqual(["u1", "u2", "u3"]);
  });

  it("404: for the user list, too", async () => {
    const error = await read([get("/v2/users", NOT_FOUND, 404)], (reader) =>
      reader.users.list().then(undefined, (reason: unknown) => reason),
    );
    expect(error).toBeInstanceOf(NotFoundError);
    expect(error).toMatchObject({ error: "Object not found" });
  });
});

// POST {track_url}/v1/track/event, `Content-Type: application/json`; the interface shows no body of the answer.
const post = (target: string, authorization: string | undefined, body: string): Fixture => ({
  method: "POST",
  target,
  headers: { "content-type": "application/json", authorization },
  body,
  reply: { status: 200, body: "" },
});

const send = (fixture: Fixture, event: ServerEvent, config: Partial<SendConfig> = {}) =>
  against([fixture], (url) => sendEvent({ trackUrl: url, apiToken: "api-token", ...config }, event));

describe("events", () => {
  // HTTP Basic: the token as user name and an empty password: base64("api-token:").
  const BASIC = "Basic YXBpLXRva2VuOg==";

  it("POST /v1/track/event: a generic event with its params, with HTTP Basic", () =>
    send(
      post(
        "/v1/track/event",
        BASIC,
        '{"contact_uid":"john","event_uid":"registration","params":{"account_uid":"acme","display_name":"Registration"}}',
      ),
      {
        contact_uid: "john",
        event_uid: "registration",
        params: { account_uid: "acme", display_name: "Registration" },
      },
    ));

  it("POST /v1/track/event: a page view, with HTTP Basic", () =>
    send(
      post(
        "/v1/track/event",
        BASIC,
        '{"contact_uid":"john","event_uid":"pageview","params":{"account_uid":"acme","visit_url":"https://app.example.com/start"}}',
      ),
      {
        contact_uid: "john",
        event_uid: "pageview",
        params: { account_uid: "acme", visit_url: "https://app.example.com/start" },
      },
    ));

  it("POST /v1/track/event?api_token=<API_TOKEN>: the token as query parameter", () =>
    send(
      post("/v1/track/event?api_token=api-token", undefined, '{"contact_uid":"john","event_uid":"login","params":{}}'),
      { contact_uid: "john", event_uid: "login" },
      { auth: "query" },
    ));
});
