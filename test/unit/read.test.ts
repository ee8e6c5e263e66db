import { afterEach, describe, expect, it, vi } from "vitest";
import { ApiError, createReader, NotFoundError, type ReaderConfig, TrackletError } from "../../src/read.js";
import { type Answerer, inTurn, json, withWire } from "../contract/wire.js";

const read = (answer: Answerer, look: (reader: ReturnType<typeof createReader>) => PromiseLike<unknown>) =>
  withWire(answer, async ({ url, requests }) => ({
    result: await look(createReader({ baseUrl: url, accessToken: "token", retries: 0 })),
    requests,
  }));

const failure = (answer: Answerer, look: (reader: ReturnType<typeof createReader>) => PromiseLike<unknown>) =>
  read(answer, look).then(
    () => expect.fail("it should have failed"),
    (error: unknown) => error,
  );

afterEach(() => vi.unstubAllGlobals());

describe("createReader", () => {
  const good: ReaderConfig = { baseUrl: "https://api.example.com", accessToken: "token" };
  const address = "baseUrl: expected an https:// or http:// address without user, query and fragment";
  const token = "accessToken: expected ASCII without spaces";
  const count = "expected a whole number from 0 to 999999999";
  it.each([
    [{ baseUrl: "/api" }, `${address}, found "/api"`],
    [{ baseUrl: undefined }, `${address}, found undefined`],
    [{ accessToken: "" }, `${token}, found ""`],
    [{ accessToken: undefined }, `${token}, found undefined`],
    [{ accessToken: "líne" }, `${token}, found "***"`],
    [{ accessToken: "line\r\nX-Other: 1" }, `${token}, found "***"`],
    [{ accessToken: 17 }, `${token}, found "***"`],
    [{ timeoutMs: -1 }, `timeoutMs: ${count}, found -1`],
    [{ timeoutMs: Number.POSITIVE_INFINITY }, `timeoutMs: ${count}, found Infinity`],
    [{ retries: 1.5 }, `retries: ${count}, found 1.5`],
  ])("refuses %o in words", (wrong, message) =>
    expect(() => createReader({ ...good, ...wrong } as ReaderConfig)).toThrow(new TypeError(message)),
  );

  it("refuses to work in a page, and says why", () => {
    vi.stubGlobal("document", {});
    expect(() => createReader(good)).toThrow(TrackletError);
    expect(() => createReader(good)).toThrow(/accessToken in a page .*allowBrowser/);
    expect(() => createReader({ ...good, allowBrowser: true })).not.toThrow();
  });

  it("puts its paths behind the whole base address", async () => {
    await withWire(inTurn(json({})), async ({ url, requests }) => {
      for (const end of ["/proxy", "/proxy/", "/proxy//"])
        await createReader({ baseUrl: url + end, accessToken: "token" }).accounts.get("1");
      expect(requests.map(({ target }) => target)).toEqual(Array(3).fill("/proxy/v2/accounts/1"));
    });
  });

  it("uses the fetch that it is given, without a receiver", async () => {
    const receivers: unknown[] = [];
    const reader = createReader({
      ...good,
      async fetch(this: unknown) {
        receivers.push(this);
        return Response.json({ id: "1" });
      },
    });
    await expect(reader.contacts.get("1")).resolves.toEqual({ id: "1" });
    expect(receivers).toEqual([undefined]);
  });

  it("does not follow a later change of its configuration", async () => {
    const config = { ...good, fetch: async () => Response.json({ id: "1" }) };
    const reader = createReader(config);
    config.fetch = () => expect.fail("changed");
    await reader.contacts.get("1");
  });
});

describe.each(["accounts", "contacts"] as const)("%s", (kind) => {
  it.each([
    ["", '""'],
    [".", '"."'],
    ["..", '".."'],
    [undefined, "undefined"],
    [5, "5"],
  ])("refuses the id %j before a request is made", async (wrong, found) => {
    const { result, requests } = await read(inTurn(json({})), async (reader) => [
      await reader[kind].get(wrong as string).catch((error) => error),
      await reader[kind].findByUid(wrong as string).catch((error) => error),
    ]);
    const expected = `: expected a text other than "", "." and "..", found ${found}`;
    expect(result).toEqual([new TypeError(`id${expected}`), new TypeError(`uid${expected}`)]);
    expect(requests).toEqual([]);
  });

  it.each([
    ["a/b", "a%2Fb"],
    ["../users", "..%2Fusers"],
    ["a?b#c&d=e", "a%3Fb%23c%26d%3De"],
    ["%2e%2e", "%252e%252e"],
    ["Zoë ☃", "Zo%C3%AB%20%E2%98%83"],
    ['"', "%22"],
    ["...", "..."],
  ])("encodes %j", async (id, encoded) => {
    const { requests } = await read(inTurn(json({ id })), (reader) =>
      Promise.all([reader[kind].get(id), reader[kind].findByUid(id)]),
    );
    expect(requests.map(({ target }) => target).sort()).toEqual([
      `/v2/${kind}/${encoded}`,
      `/v2/${kind}?uid=${encoded}`,
    ]);
  });

  it("keeps members that are not known", async () => {
    const record = { id: "1", tier: { a: [1] } };
    const { result } = await read(inTurn(json(record)), (reader) => reader[kind].get("1"));
    expect(result).toEqual(record);
  });

  it.each([
    ["404", json({ error: "no such thing" }, 404)],
    ["404 without a body", { status: 404 }],
    ["null", json(null)],
    ["204", { status: 204 }],
    ["an empty list", json([])],
    ["an empty envelope", json({ object: "account.list", data: [] })],
    ["a list of null", json([null])],
  ])("finds nothing when the service says so by %s", async (_, reply) => {
    const { result } = await read(inTurn(reply), (reader) => reader[kind].findByUid("u"));
    expect(result).toBeNull();
  });

  const found = { id: "1", unique_id: "u", data: [] };
  it.each([
    ["itself", json(found), found],
    ["itself, without id", json({ unique_id: "u", data: { id: "0" } }), { unique_id: "u", data: { id: "0" } }],
    ["a list of it", json([found]), found],
    ["an envelope", json({ object: "account.list", data: [found] }), found],
  ])("finds a record given as %s", async (_, reply, expected: object) => {
    const { result } = await read(inTurn(reply), (reader) => reader[kind].findByUid("u"));
    expect(result).toEqual(expected);
  });

  const noRecord = "body: expected an object, found";
  it.each([
    ["no JSON", { body: "<html>" }, "body: expected JSON"],
    ["JSON that breaks off", { body: '{"id":"1"' }, "body: expected JSON"],
    ["a number", json(0), `${noRecord} 0`],
    ["a text", json("id"), `${noRecord} "id"`],
    ["false", json(false), `${noRecord} false`],
    ["several records", json([found, found]), `${noRecord} array`],
  ])("refuses an answer that is %s", async (_, reply, reason) => {
    for (const look of ["get", "findByUid"] as const) {
      const error = await failure(inTurn(reply), (reader) => reader[kind][look]("u"));
      expect(error).toBeInstanceOf(ApiError);
      expect(error).toMatchObject({ name: "ApiError", status: 200, method: "GET", error: reason });
    }
  });

  it("refuses a list of texts", async () => {
    const error = await failure(inTurn(json(["a"])), (reader) => reader[kind].findByUid("u"));
    expect(error).toMatchObject({ error: `${noRecord} "a"` });
  });

  it("refuses null and a list for an id", async () => {
    for (const reply of [json(null), json([]), { status: 204 }])
      await expect(failure(inTurn(reply), (reader) => reader[kind].get("1"))).resolves.toBeInstanceOf(ApiError);
  });

  it("tells the status in words where the answer has none of its own", async () => {
    const error = await failure(inTurn({ status: 502, body: "<html>" }), (reader) => reader[kind].get("1"));
    expect(error).toMatchObject({ status: 502, error: "Bad Gateway" });
  });

  it("rejects get with a NotFoundError that tells the service's words", async () => {
    const error = await failure(inTurn(json({ error: "no such thing" }, 404)), (reader) => reader[kind].get("1"));
    expect(error).toBeInstanceOf(NotFoundError);
    expect(error).toMatchObject({ status: 404, method: "GET", error: "no such thing" });
    expect((error as Error).message).toMatch(new RegExp(`^GET http://.*/v2/${kind}/1: 404 no such thing$`));
  });
});
