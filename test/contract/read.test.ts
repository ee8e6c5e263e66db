/**
 * `tracklet/read` against answers written by hand from the service's interface: none was made by the project's own service, so
 * that the client and that service cannot agree on a mistake.
 */
import { describe, expect, it, vi } from "vitest";
import {
  ApiError,
  createReader,
  NotFoundError,
  type Reader,
  type ReaderConfig,
  TrackletError,
} from "../../src/read.js";
import { type Answerer, inTurn, JSON_TYPE, json, type Reply, withWire } from "./wire.js";

/** What comes of a call, and what went over the wire for it. */
const look = (answer: Answerer | Reply, call: (reader: Reader) => PromiseLike<unknown>, path = "") =>
  withWire(typeof answer === "function" ? answer : inTurn(answer), async ({ url, requests }) => {
    const reader = createReader({ baseUrl: url + path, accessToken: "access-token", retries: 0 });
    const outcome = await call(reader).then(
      (value) => value,
      (reason: unknown) => reason,
    );
    return { outcome, requests, targets: requests.map(({ target }) => target) };
  });

describe("createReader", () => {
  const good: ReaderConfig = { baseUrl: "https://api.example.com", accessToken: "token" };
  const address = "baseUrl: expected an https:// or http:// address without user, query and fragment";
  const token = "accessToken: expected ASCII without spaces";
  const count = "expected a whole number from 0 to 999999999";
  it.each([
    [{ baseUrl: "/api" }, `${address}, found "/api"`],
    [{ baseUrl: ["https://api.example.com"] }, `${address}, found array`],
    // What may be a secret is not shown.
    ...["user:pw@api.example.com", "api.example.com/?a=1", "api.example.com/#a", "a\\@evil.example", "a/ b"].map(
      (rest): [object, string] => [{ baseUrl: `https://${rest}` }, `${address}, found "https://…"`],
    ),
    [{ accessToken: "" }, `${token}, found ""`],
    [{ accessToken: "line\r\nX-Other: 1" }, `${token}, found "***"`],
    [{ accessToken: "líne" }, `${token}, found "***"`],
    [{ retries: 1.5 }, `retries: ${count}, found 1.5`],
  ])("refuses %o in words", (wrong, message) =>
    expect(() => createReader({ ...good, ...wrong } as ReaderConfig)).toThrow(new TypeError(message)),
  );

  it.each([undefined, null, "https://api.example.com"])("refuses to be given no configuration, but %j", (config) =>
    expect(() => createReader(config as never)).toThrow(
      new TypeError(`config: expected an object, found ${typeof config === "string" ? '"https://…"' : config}`),
    ),
  );

  it("refuses to work in a page, where anyone could read the token, unless that is allowed", () => {
    vi.stubGlobal("document", {});
    for (const config of [good, { ...good, allowBrowser: false }]) {
      expect(() => createReader(config)).toThrow(TrackletError);
      expect(() => createReader(config)).toThrow(/^accessToken in a page needs allowBrowser: true$/);
    }
    expect(() => createReader({ ...good, allowBrowser: true })).not.toThrow();
  });

  it.each(["/proxy", "/proxy/", "/proxy//"])("puts its paths behind the whole base address, %s", async (path) =>
    expect((await look(json({}), ({ accounts }) => accounts.get("1"), path)).targets).toEqual(["/proxy/v2/accounts/1"]),
  );

  it("uses the fetch that it was given, without a receiver, whatever becomes of the configuration", async () => {
    const receivers: unknown[] = [];
    const config = {
      ...good,
      async fetch(this: unknown) {
        receivers.push(this);
        return Response.json({ id: "1" });
      },
    };
    const reader = createReader(config);
    config.fetch = () => expect.fail("changed");
    await expect(reader.contacts.get("1")).resolves.toEqual({ id: "1" });
    expect(receivers).toEqual([undefined]);
  });
});

describe.each(["accounts", "contacts"] as const)("%s", (kind) => {
  const get = (reader: Reader) => reader[kind].get("1");
  const find = (reader: Reader) => reader[kind].findByUid("acme");
  // An account or contact is identified by an id and a unique id; the interface shows no other fields.
  const record = { id: "5f1e", unique_id: "acme", anything: { else: [1, 2] } };

  it.each<[string, (reader: Reader) => Promise<unknown>]>([
    ["/1", get],
    ["?uid=acme", find],
  ])("GET /v2/… %s with a bearer token", async (target, call) => {
    const { outcome, requests } = await look(json(record), call);
    expect(outcome).toEqual(record);
    const headers = expect.objectContaining({ accept: "application/json", authorization: "Bearer access-token" });
    expect(requests).toEqual([{ method: "GET", target: `/v2/${kind}${target}`, headers, body: "" }]);
    expect(requests[0]!.headers).not.toHaveProperty("content-type");
  });

  it.each([
    ["", '""'],
    [".", '"."'],
    ["..", '".."'],
    [undefined, "undefined"],
    [5, "5"],
  ])("refuse the id %j before a request is made", async (wrong, found) => {
    const { outcome, requests } = await look(json({}), (reader) =>
      Promise.all([get, find].map((_, at) => reader[kind][at ? "findByUid" : "get"](wrong as string).catch((e) => e))),
    );
    const expected = `: expected a text other than "", "." and "..", found ${found}`;
    expect(outcome).toEqual([new TypeError(`id${expected}`), new TypeError(`uid${expected}`)]);
    expect(requests).toEqual([]);
  });

  it.each([
    ["../users", "..%2Fusers"],
    ["a?b#c&d=e", "a%3Fb%23c%26d%3De"],
    ["Zoë ☃", "Zo%C3%AB%20%E2%98%83"],
    ["...", "..."],
  ])("encode %j", async (id, encoded) => {
    const { targets } = await look(json({ id }), (reader) =>
      Promise.all([reader[kind].get(id), reader[kind].findByUid(id)]),
    );
    expect(targets.toSorted()).toEqual([`/v2/${kind}/${encoded}`, `/v2/${kind}?uid=${encoded}`]);
  });

  const found = { id: "1", unique_id: "u", data: [] };
  it.each<[string, Reply, unknown]>([
    ["404: nothing", json({ error: "no such thing" }, 404), null],
    ["null: nothing", json(null), null],
    ["204: nothing", { status: 204 }, null],
    ["an empty envelope: nothing", json({ object: "account.list", data: [] }), null],
    ["the record itself", json(found), found],
    ["it without id", json({ unique_id: "u", data: { id: "0" } }), { unique_id: "u", data: { id: "0" } }],
    ["a list of it", json([found]), found],
    ["an envelope", json({ object: "account.list", data: [found] }), found],
  ])("are found by uid in %s", async (_, reply, expected) =>
    expect((await look(reply, find)).outcome).toEqual(expected),
  );

  const noRecord = "body: expected an object, found";
  it.each<[string, Reply, string, boolean?]>([
    ["no JSON", { body: "<html>" }, "body: expected JSON"],
    ["a number", json(0), `${noRecord} 0`],
    ["a text", json("id"), `${noRecord} "id"`],
    ["several records", json([found, found]), `${noRecord} array`],
    ["a list of texts, by uid", json(["a"]), `${noRecord} "a"`, true],
    // That no more is read than the bound: unit/api-client/response-body.
    ["too long", { body: "a".repeat(17 * 1_048_576) }, "body: longer than 16 MiB", true],
  ])("refuse an answer that is %s", async (_, reply, error, isByUid = false) => {
    for (const call of isByUid ? [find] : [get, find]) {
      const { outcome } = await look(reply, call);
      expect(outcome).toBeInstanceOf(ApiError);
      expect(outcome).toMatchObject({ name: "ApiError", status: 200, method: "GET", error });
    }
  });
  it.each([json(null), json([]), { status: 204 }])("refuse %j for an id", async (reply) =>
    expect((await look(reply, get)).outcome).toBeInstanceOf(ApiError),
  );
  it("tell the status in words where the answer has none of its own", async () =>
    expect((await look({ status: 502, body: "<html>" }, get)).outcome).toMatchObject({
      status: 502,
      error: "Bad Gateway",
    }));
  // The body of a 404 is a JSON object with one string member `error`.
  it("reject get with a NotFoundError that tells the service's words", async () => {
    const { outcome } = await look({ status: 404, headers: JSON_TYPE, body: '{"error":"Object not found"}' }, get);
    expect(outcome).toBeInstanceOf(NotFoundError);
    expect(outcome).toMatchObject({ status: 404, method: "GET", error: "Object not found" });
    expect((outcome as Error).message).toMatch(new RegExp(`^GET http://.*/v2/${kind}/1: 404 Object not found$`));
  });
});
