import { describe, expect, it } from "vitest";
import { ApiError, createReader, type ListOptions, type User, type UserPage } from "../../../src/read.js";
import { type Answerer, inTurn, json, type Wire, withWire } from "../../contract/wire.js";

const user = (id: string): User => ({
  object: "user",
  id,
  created_at: 1_735_689_600,
  email: `${id}@example.com`,
  name: id,
  role: "admin",
  enabled: true,
});

const page = (ids: string, pagination: Partial<UserPage["pagination"]> = {}) =>
  json({
    object: "user.list",
    data: [...ids].map(user),
    pagination: { total: 6, offset: 0, limit: 2, count: ids.length, ...pagination },
  });

const walk = (answer: Answerer, options: ListOptions = {}) =>
  withWire(answer, async (wire: Wire) => {
    const list = createReader({ baseUrl: wire.url, accessToken: "token", retries: 0 }).users.list(options);
    const ids: string[] = [];
    for await (const { id } of list) ids.push(id);
    return { ids: ids.join(""), targets: wire.requests.map(({ target }) => target.slice("/v2/users".length)) };
  });

const reader = createReader({ baseUrl: "http://127.0.0.1:9", accessToken: "token", retries: 0 });

describe("options", () => {
  const fromZero = "expected a whole number from 0 to 999999999";
  const limit = "expected a whole number from 1 to 100";
  it.each([
    ["offset", -1, `${fromZero}, found -1`],
    ["offset", 0.5, `${fromZero}, found 0.5`],
    ["offset", "0", `${fromZero}, found "0"`],
    ["offset", null, `${fromZero}, found null`],
    ["limit", 0, `${limit}, found 0`],
    ["limit", 101, `${limit}, found 101`],
    ["limit", Number.NaN, `${limit}, found NaN`],
    ["order", "ASC", 'expected "asc" or "desc", found "ASC"'],
    ["sort", "", 'expected "created_at", found ""'],
    ["sort", "last_name", 'expected "created_at", found "last_nam…"'],
  ])("a wrong %s is told at once, in words: %j", (name, value, words) =>
    expect(() => reader.users.list({ [name]: value })).toThrow(new TypeError(`${name}: ${words}`)),
  );

  it("go into the query, and nothing else does", async () => {
    const options: ListOptions = { offset: 3, limit: 100, order: "asc", sort: "created_at" };
    const last = inTurn(page("a"));
    const signal = new AbortController().signal;
    const { targets } = await walk(last, { ...options, signal });
    expect(Object.fromEntries(new URLSearchParams(targets[0]))).toEqual({
      offset: "3",
      limit: "100",
      order: "asc",
      sort: "created_at",
    });
    await expect(walk(last, { limit: undefined })).resolves.toMatchObject({ targets: [""] });
    await expect(walk(last, { offset: 0, limit: 1 })).resolves.toMatchObject({ targets: ["?offset=0&limit=1"] });
  });
});

describe("a list", () => {
  const sound = JSON.parse(page("ab").body!);

  it("asks for nothing until it is awaited, and then for one page", () =>
    withWire(inTurn(page("ab", { next: "/v2/users?offset=2&limit=2" })), async ({ url, requests }) => {
      const list = createReader({ baseUrl: url, accessToken: "token" }).users.list();
      list.pages();
      list[Symbol.asyncIterator]();
      await new Promise(setImmediate);
      expect(requests).toEqual([]);
      const { data, pagination } = await list;
      expect(data).toEqual([user("a"), user("b")]);
      expect(pagination).toEqual({ total: 6, offset: 0, limit: 2, count: 2, next: "/v2/users?offset=2&limit=2" });
      expect(requests).toHaveLength(1);
    }));

  it("loads no page before the one at hand is used up, and none after a break", () =>
    withWire(
      inTurn(page("ab", { next: "?offset=2&limit=2" }), page("cd", { next: "?offset=4&limit=2" }), page("ef")),
      async ({ url, requests }) => {
        const loaded: string[] = [];
        for await (const { id } of createReader({ baseUrl: url, accessToken: "token" }).users.list()) {
          loaded.push(`${id}${requests.length}`);
          if (id === "c") break;
        }
        expect(loaded).toEqual(["a1", "b1", "c2"]);
        await new Promise(setImmediate);
        expect(requests).toHaveLength(2);
      },
    ));

  it("can be walked again, from its start", () =>
    withWire(inTurn(page("ab")), async ({ url, requests }) => {
      const list = createReader({ baseUrl: url, accessToken: "token" }).users.list();
      for (let round = 1; round <= 2; round += 1) {
        const pages: UserPage[] = [];
        for await (const each of list.pages()) pages.push(each);
        expect(pages.map(({ data }) => data.length)).toEqual([2]);
        expect(requests).toHaveLength(round);
      }
    }));

  it("takes only offset and limit from next", async () => {
    const { ids, targets } = await walk(
      inTurn(
        page("ab", { next: "https://evil.example/elsewhere?limit=3&sort=name&x=1&order=asc&offset=2" }),
        page("cd", { next: "/v2/users?offset=4" }),
        page("ef"),
      ),
      { order: "desc" },
    );
    expect(ids).toBe("abcdef");
    expect(targets).toEqual(["?order=desc", "?order=desc&offset=2&limit=3", "?order=desc&offset=4&limit=3"]);
  });

  it.each([
    ["null", null],
    ["an empty text", ""],
    ["nothing", undefined],
    ["without an offset", "/v2/users?cursor=a"],
  ])("ends where next is %s", async (_, next) => {
    await expect(walk(inTurn(page("ab", { next })))).resolves.toEqual({ ids: "ab", targets: [""] });
  });

  it.each([
    ["an empty page", page("", { next: "?offset=4&limit=2" })],
    ["a page that leads to itself", page("ab", { next: "?offset=2&limit=2" })],
    ["a page that leads backwards", page("cd", { next: "?offset=1&limit=2" })],
    ["a page that leads to the start", page("cd", { next: "?offset=0&limit=2" })],
    ["a page that repeats what is known, and leads beyond the end", page("ab", { next: "?offset=6&limit=2" })],
  ])("stops on %s", async (_, second) => {
    const { targets } = await walk(inTurn(page("ab", { next: "?offset=2&limit=2" }), second, page("ef")));
    expect(targets).toEqual(["", "?offset=2&limit=2"]);
  });

  it("stops at the end that a service tells, although it goes on for ever", async () => {
    const endless: Answerer = ({ target }) => {
      const offset = Number(new URLSearchParams(target.split("?")[1]).get("offset"));
      return page("ab", { offset, next: `?offset=${offset + 2}&limit=2` });
    };
    const { ids, targets } = await walk(endless);
    expect(ids).toBe("ab");
    expect(targets).toHaveLength(3);
  });

  it("skips users that were pushed onto the next page, and does not stop where a whole page is such", async () => {
    const { ids, targets } = await walk(
      inTurn(
        page("ab", { next: "?offset=2&limit=2" }),
        page("bc", { total: 7, next: "?offset=4&limit=2" }),
        page("bc", { total: 9, next: "?offset=6&limit=2" }),
        page("de", { total: 9 }),
      ),
    );
    expect(ids).toBe("abcde");
    expect(targets).toHaveLength(4);
  });

  it("goes on over as many repeated pages as users were added at once", async () => {
    const { ids } = await walk(
      inTurn(
        page("a", { total: 2, next: "?offset=1&limit=1" }),
        page("x", { total: 4, next: "?offset=2&limit=1" }),
        page("a", { total: 4, next: "?offset=3&limit=1" }),
        page("b", { total: 4 }),
      ),
      { limit: 1 },
    );
    expect(ids).toBe("axb");
  });

  it("leaves those users out of its pages", () =>
    withWire(inTurn(page("ab", { next: "?offset=2&limit=2" }), page("bc", { total: 7 })), async ({ url }) => {
      const pages: string[] = [];
      for await (const { data } of createReader({ baseUrl: url, accessToken: "token" }).users.list().pages())
        pages.push(data.map(({ id }) => id).join(""));
      expect(pages).toEqual(["ab", "c"]);
    }));

  const total = "pagination.total: expected a whole number, found";
  const list = "data: expected an array, found";
  const id = 'data[].id: expected a text other than "", "." and "..", found';
  const paged = (pagination: object) => json({ ...sound, pagination: { ...sound.pagination, ...pagination } });
  it.each([
    ["no JSON", { body: "<html>" }, "body: expected JSON"],
    ["null", json(null), `${total} undefined`],
    ["a list", json([user("a")]), `${total} undefined`],
    ["data that is no list", json({ ...sound, data: {} }), `${list} object`],
    ["data that is a text", json({ ...sound, data: "" }), `${list} ""`],
    ["a user without id", json({ ...sound, data: [{ object: "user" }] }), `${id} undefined`],
    ["a user that is null", json({ ...sound, data: [null] }), `${id} undefined`],
    ["a user whose id leads nowhere", json({ ...sound, data: [user("")] }), `${id} ""`],
    ["no pagination", json({ object: "user.list", data: [] }), `${total} undefined`],
    ["pagination that is a text", json({ ...sound, pagination: "{}" }), `${total} undefined`],
    ["a total that is a text", paged({ total: "6" }), `${total} "6"`],
    ["a next that is no text", paged({ next: 2 }), "pagination.next: expected a text, found 2"],
  ])("refuses a page with %s, and says why", (_, reply, reason) =>
    withWire(inTurn(reply), async ({ url, requests }) => {
      const list = createReader({ baseUrl: url, accessToken: "token" }).users.list();
      const error = await list.then(
        () => expect.fail("it should have failed"),
        (thrown: unknown) => thrown,
      );
      expect(error).toBeInstanceOf(ApiError);
      expect(error).toMatchObject({ status: 200, error: reason, message: `GET ${url}/v2/users?: 200 ${reason}` });
      expect(requests).toHaveLength(1);
    }),
  );
});
