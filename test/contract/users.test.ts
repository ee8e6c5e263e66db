/** The list of users, page by page, against answers written by hand from the service's interface. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ApiError, createReader, type ListOptions, type Reach, type User, type UserPage } from "../../src/read.js";
import { type Answerer, inTurn, json, type Reply, withWire } from "./wire.js";

// Members of a user: object, id, created_at, email, name, role, enabled.
const user = (id: string): User => ({
  object: "user",
  id,
  created_at: 1_735_689_600,
  email: `${id}@example.com`,
  name: id,
  role: "admin",
  enabled: true,
});
// A page is a `user.list`, with a pagination of total, offset, limit, count, next.
const page = (ids: string, pagination: Partial<UserPage["pagination"]> = {}): Reply =>
  json({
    object: "user.list",
    data: [...ids].map((id) => user(id)),
    pagination: { total: 6, offset: 0, limit: 2, count: ids.length, ...pagination },
  });
const listAt = (baseUrl: string, options?: ListOptions, reach?: Reach) =>
  createReader({ baseUrl, accessToken: "token", retries: 0, ...reach }).users.list(options);

const walk = (answer: Answerer, options: ListOptions = {}) =>
  withWire(answer, async ({ url, requests }) => {
    const ids: string[] = [];
    for await (const { id } of listAt(url, options)) ids.push(id);
    return { ids: ids.join(""), targets: requests.map(({ target }) => target.slice("/v2/users".length)) };
  });

describe("options", () => {
  const fromZero = "expected a whole number from 0 to 999999999";
  const limit = "expected a whole number from 1 to 100";
  it.each([
    ["offset", -1, `${fromZero}, found -1`],
    ["limit", 0, `${limit}, found 0`],
    ["limit", 101, `${limit}, found 101`],
    ["order", "ASC", 'expected "asc" or "desc", found "ASC"'],
    ["sort", "last_name", 'expected "created_at", found "last_nam…"'],
  ])("a wrong %s is told at once, in words: %j", (name, value, words) =>
    expect(() => listAt("http://127.0.0.1:9", { [name]: value })).toThrow(new TypeError(`${name}: ${words}`)),
  );
  const signal = new AbortController().signal;
  it.each<[ListOptions, string]>([
    [
      { offset: 3, limit: 100, order: "asc", sort: "created_at", signal },
      "?offset=3&limit=100&order=asc&sort=created_at",
    ],
    [{ limit: undefined }, ""],
    [{ order: "desc" }, "?order=desc"],
  ])("%o go into the query, and nothing else does", async (options, query) =>
    expect((await walk(inTurn(page("a")), options)).targets).toEqual([query]),
  );
});

describe("a list", () => {
  it("asks for nothing until it is awaited, and then for one page", () =>
    withWire(inTurn(page("ab", { next: "/v2/users?offset=2&limit=2" })), async ({ url, requests }) => {
      const list = listAt(url);
      list.pages();
      list[Symbol.asyncIterator]();
      await new Promise(setImmediate);
      expect(requests).toEqual([]);
      const { object, data, pagination } = await list;
      expect([object, data]).toEqual(["user.list", [user("a"), user("b")]]);
      expect(pagination).toEqual({ total: 6, offset: 0, limit: 2, count: 2, next: "/v2/users?offset=2&limit=2" });
      expect(requests).toMatchObject([{ method: "GET", headers: { authorization: "Bearer token" }, body: "" }]);
    }));

  it("loads no page before the one at hand is used up, and none after a break", () =>
    withWire(
      inTurn(page("ab", { next: "?offset=2&limit=2" }), page("cd", { next: "?offset=4&limit=2" }), page("ef")),
      async ({ url, requests }) => {
        const loaded: string[] = [];
        for await (const { id } of listAt(url)) {
          loaded.push(`${id}${requests.length}`);
          if (id === "c") break;
        }
        expect(loaded).toEqual(["a1", "b1", "c2"]);
        await new Promise(setImmediate);
        expect(requests).toHaveLength(2);
      },
    ));

  const more = page("ab", { next: "?offset=2&limit=2" });
  const ended = { targets: ["", "?offset=2&limit=2"] };
  it.each<[string, Reply[], { ids?: string; targets: string[] }, ListOptions?]>([
    [
      "takes only offset and limit from next, and goes on while users are new",
      [
        page("ab", { next: "https://evil.example/elsewhere?limit=3&sort=name&x=1&order=asc&offset=2" }),
        page("cd", { total: 4, next: "/v2/users?offset=4" }),
        page("ef"),
      ],
      { ids: "abcdef", targets: ["?order=desc", "?order=desc&offset=2&limit=3", "?order=desc&offset=4&limit=3"] },
      { order: "desc" },
    ],
    ["ends where next is null", [page("ab", { next: null })], { ids: "ab", targets: [""] }],
    ["ends where there is no next", [page("ab")], { ids: "ab", targets: [""] }],
    ["ends where next has no offset", [page("ab", { next: "/v2/users?cursor=a" })], { ids: "ab", targets: [""] }],
    ["ends on an empty page", [more, page("", { next: "?offset=4&limit=2" }), page("ef")], ended],
    ["ends on a page that leads to itself", [more, more, page("ef")], ended],
    ["ends on a page that leads backwards", [more, page("cd", { next: "?offset=1&limit=2" }), page("ef")], ended],
    [
      "ends on a page that repeats what is known, and leads beyond the end",
      [more, page("ab", { next: "?offset=6&limit=2" }), page("ef")],
      ended,
    ],
  ])("%s", async (_, replies, expected, options) =>
    expect(await walk(inTurn(...replies), options)).toMatchObject(expected),
  );

  it("stops at the end that a service tells, although it goes on for ever", async () => {
    const endless: Answerer = ({ target }) => {
      const offset = Number(new URLSearchParams(target.split("?")[1]).get("offset"));
      return page("ab", { offset, next: `?offset=${offset + 2}&limit=2` });
    };
    expect(await walk(endless)).toMatchObject({ ids: "ab", targets: { length: 3 } });
  });

  const sound = JSON.parse(page("ab").body!);
  const total = "pagination.total: expected a whole number, found";
  const data = "data: expected an array, found";
  const id = 'data[].id: expected a text other than "", "." and "..", found';
  const paged = (pagination: object) => json({ ...sound, pagination: { ...sound.pagination, ...pagination } });
  it.each([
    ["no JSON", { body: "<html>" }, "body: expected JSON"],
    ["null", json(null), `${total} undefined`],
    ["data that is no list", json({ ...sound, data: {} }), `${data} object`],
    ["a user without id", json({ ...sound, data: [{ object: "user" }] }), `${id} undefined`],
    ["a user whose id leads nowhere", json({ ...sound, data: [user("")] }), `${id} ""`],
    ["a total that is a text", paged({ total: "6" }), `${total} "6"`],
    ["a next that is no text", paged({ next: 2 }), "pagination.next: expected a text, found 2"],
  ])("refuses a page with %s, and says why", (_, reply, reason) =>
    withWire(inTurn(reply), async ({ url, requests }) => {
      const error = await listAt(url).then(undefined, (thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(ApiError);
      expect(error).toMatchObject({ status: 200, error: reason, message: `GET ${url}/v2/users?: 200 ${reason}` });
      expect(requests).toHaveLength(1);
    }),
  );
});

/** `GET /v2/users` of the interface, over the ids from the oldest to the newest. */
const serve =
  (ids: string[]): typeof fetch =>
  async (url) => {
    const query = new URL(`${url}`).searchParams;
    const [offset, limit] = [Number(query.get("offset") ?? 0), Number(query.get("limit") ?? 25)];
    const sorted = query.get("order") === "asc" ? ids : ids.toReversed();
    const data = sorted.slice(offset, offset + limit).map(user);
    const next = offset + limit < ids.length ? `/v2/users?offset=${offset + limit}&limit=${limit}` : undefined;
    const pagination = { total: ids.length, offset, limit, count: data.length, next };
    return Response.json({ object: "user.list", data, pagination });
  };

it("a walk meets everybody who was there at its start, in order and once, although users are added meanwhile", async () => {
  const walks = fc.asyncProperty(
    fc.integer({ min: 0, max: 40 }),
    // How many users are added after each page: newer than all, as in life.
    fc.array(fc.integer({ min: 0, max: 6 }), { maxLength: 12 }),
    fc.option(fc.integer({ min: 0, max: 45 }), { nil: undefined }),
    fc.option(fc.integer({ min: 1, max: 12 }), { nil: undefined }),
    fc.constantFrom("asc", "desc", undefined),
    async (count, arrivals, offset = 0, limit, order) => {
      const ids = Array.from({ length: count }, (_, index) => `u${index}`);
      const expected = (order === "asc" ? [...ids] : ids.toReversed()).slice(offset);
      const met: string[] = [];
      let round = 0;
      const list = listAt("http://127.0.0.1:9", { offset, limit, order }, { fetch: serve(ids) });
      for await (const { data } of list.pages()) {
        met.push(...data.map(({ id }) => id));
        for (let left = arrivals[round++] ?? 0; left > 0; left--) ids.push(`u${ids.length}`);
      }
      expect(met.filter((id) => expected.includes(id))).toEqual(expected);
      expect(new Set(met).size).toBe(met.length);
      if (order === "asc") expect(met).toEqual(ids.slice(offset, offset + met.length));
    },
  );
  await fc.assert(walks, { numRuns: 150, seed: 20_250_101 });
});
