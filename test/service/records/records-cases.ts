import { beforeAll, describe, expect, it } from "vitest";
import { expectRefusal } from "../support/refusal.js";
import type { RunningService } from "../support/running-service.js";

interface User {
  id: string;
  email: string;
  role: string;
  created_at: number;
}

/** `GET /v2/accounts`, `/v2/contacts` and `/v2/users`. */
export const recordCases = (running: () => RunningService): void => {
  let service: RunningService;
  beforeAll(() => {
    service = running();
  });

  const json = async (path: string) => (await service.get(path)).json();

  describe("accounts and contacts", () => {
    it("are found by uid and by id, with the known members", async () => {
      const account = await json("/v2/accounts?uid=account-01");
      expect(account).toEqual({
        object: "account",
        id: expect.any(String),
        unique_id: "account-01",
        created_at: expect.any(Number),
        data: expect.objectContaining({ name: expect.any(String) }),
        stage: { name: expect.any(String), id: expect.any(String) },
        salesmachine: { health: expect.any(Number) },
        contacts: {
          object: "contact.list",
          data: expect.arrayContaining([{ id: expect.any(String) }]),
          total: account.contacts.data.length,
        },
      });
      expect(await json(`/v2/accounts/${account.id}`)).toEqual(account);

      const contact = await json("/v2/contacts?uid=contact-001");
      expect(contact).toEqual({
        object: "contact",
        id: expect.any(String),
        unique_id: "contact-001",
        created_at: expect.any(Number),
        archived: expect.any(Boolean),
        data: expect.objectContaining({ name: expect.any(String) }),
        stage: { name: expect.any(String), id: expect.any(String) },
        salesmachine: { health: expect.any(Number) },
        accounts: { object: "account.list", data: [{ id: account.id }], total: 1 },
      });
      expect(await json(`/v2/contacts/${contact.id}`)).toEqual(contact);
      expect(account.contacts.data).toContainEqual({ id: contact.id });
    });

    it.each(["accounts", "contacts"])("answer 404 where nothing matches, and 400 without a uid: %s", async (kind) => {
      await expectRefusal(await service.get(`/v2/${kind}?uid=nobody`), 404, /not found/);
      await expectRefusal(await service.get(`/v2/${kind}/nobody`), 404, /not found/);
      await expectRefusal(await service.get(`/v2/${kind}/%00%F0%9F%A6%8A'`), 404, /not found/);
      await expectRefusal(await service.get(`/v2/${kind}`), 400, /uid is missing/);
      await expectRefusal(await service.get(`/v2/${kind}?uid=`), 400, /uid must not be empty/);
      await expectRefusal(await service.get(`/v2/${kind}?uid=a&uid=b`), 400, /uid must be a string/);
    });
  });

  describe("users", () => {
    const walk = async (query: string): Promise<User[]> => {
      const all: User[] = [];
      for (let next: string | null = `${service.url}/v2/users?${query}`; next !== null; ) {
        const page = await json(next.slice(service.url.length));
        expect(page.pagination).toMatchObject({ total: 137, offset: all.length, count: page.data.length });
        all.push(...page.data);
        next = page.pagination.next;
      }
      return all;
    };
    const byCreation = (a: User, b: User): number => a.created_at - b.created_at || (a.id < b.id ? -1 : 1);

    it("come 25 at a time, newest first, unless asked otherwise", async () => {
      const page = await json("/v2/users");
      expect(page).toEqual({
        object: "user.list",
        data: expect.any(Array),
        pagination: { total: 137, offset: 0, limit: 25, count: 25, next: `${service.url}/v2/users?offset=25&limit=25` },
      });
      expect(page.data[0]).toEqual({
        object: "user",
        id: expect.any(String),
        created_at: expect.any(Number),
        email: expect.stringMatching(/^[\w.]+@[\w.]+$/),
        name: expect.any(String),
        role: expect.any(String),
        enabled: expect.any(Boolean),
      });
      expect(page.data).toEqual([...page.data].sort(byCreation).reverse());
    });

    it.each(["", "limit=7", "limit=100&order=asc", "order=desc&sort=created_at&limit=50"])(
      "are walked by `next` without a gap or a repeat: ?%s",
      async (query) => {
        const users = await walk(query);
        const sorted = [...users].sort(byCreation);
        expect(users).toEqual(query.includes("asc") ? sorted : sorted.reverse());
        expect(new Set(users.map(({ id }) => id)).size).toBe(137);
        expect(new Set(users.map(({ email }) => email)).size).toBe(137);
        expect(new Set(users.map(({ created_at }) => created_at)).size).toBeLessThan(100);
        expect(users.map(({ role }) => role)).toContain("admin");
      },
    );

    it("are at most 100 a page", async () => {
      const { pagination } = await json("/v2/users?limit=101");
      expect(pagination).toMatchObject({
        limit: 100,
        count: 100,
        next: `${service.url}/v2/users?limit=100&offset=100`,
      });
      expect((await json(`/v2/users?limit=${"9".repeat(400)}`)).pagination.limit).toBe(100);
    });

    it("have a `next` with nothing of what the client made up", async () => {
      const { pagination } = await json("/v2/users?x=1&limit=50&api_token=secret&order=asc");
      expect(pagination.next).toBe(`${service.url}/v2/users?limit=50&order=asc&offset=50`);
    });

    it("end with a null `next`", async () => {
      expect((await json("/v2/users?offset=112")).pagination).toMatchObject({ count: 25, next: null });
      expect((await json("/v2/users?offset=111")).pagination.next).not.toBeNull();
      expect((await json("/v2/users?offset=137")).pagination).toEqual({
        total: 137,
        offset: 137,
        limit: 25,
        count: 0,
        next: null,
      });
      expect((await json(`/v2/users?offset=${"9".repeat(30)}`)).data).toEqual([]);
    });

    it("keep the order in `next`, on the host that was asked", async () => {
      const answer = await service.app.inject({
        url: "/v2/users?order=asc&sort=created_at&limit=5",
        headers: { authorization: "Bearer test-access-token", host: "api.localhost:8443" },
      });
      expect(answer.json().pagination.next).toBe(
        "http://api.localhost:8443/v2/users?order=asc&sort=created_at&limit=5&offset=5",
      );
    });

    it.each([
      ["offset", "-1"],
      ["offset", "1.5"],
      ["offset", "x"],
      ["offset", ""],
      ["limit", "0"],
      ["limit", "-5"],
      ["limit", "2.5"],
      ["limit", "1e1"],
      ["limit", "0x10"],
      ["limit", "1&limit=2"],
      ["order", "DESC"],
      ["order", "up"],
      ["sort", "name"],
      ["sort", ""],
    ])("answer 400 that names a wrong %s (%s)", async (name, value) => {
      await expectRefusal(await service.get(`/v2/users?${name}=${value}`), 400, new RegExp(`^${name} must be`));
    });
  });

  it.each(["/v2/accounts/x", "/v2/accounts?uid=x", "/v2/contacts/x", "/v2/contacts", "/v2/users?limit=x"])(
    "asks for the access token first: %s",
    async (path) => {
      for (const authorization of [
        undefined,
        "Bearer wrong",
        "Bearer",
        "Basic dGVzdC1hY2Nlc3MtdG9rZW46",
        "test-access-token",
      ]) {
        const answer = await service.get(path, authorization === undefined ? {} : { authorization });
        expect(answer.headers.get("www-authenticate")).toMatch(/^Bearer realm=/);
        await expectRefusal(answer, 401, /access token is (missing|wrong)/);
      }
      expect((await service.get(path, { authorization: "bearer test-access-token" })).status).not.toBe(401);
    },
  );
};
