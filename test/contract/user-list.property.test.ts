/**
 * A walk over the users is complete whatever the page size, the start and the order, and although users are added
 * meanwhile: against a list that was written by hand from the interface, and against the service's own route and SQL.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import Fastify from "fastify";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Database } from "../../demo/service/database.js";
import { openDatabase } from "../../demo/service/open-database.js";
import { UserList as UserListSchema, User as UserSchema } from "../../demo/service/schemas.js";
import { userRoutes } from "../../demo/service/users.js";
import { createReader } from "../../src/read.js";
import { json, startWire, type Wire } from "./wire.js";

interface Row {
  id: string;
  created_at: number;
}

/** A list of users behind an address. */
interface Users {
  url: string;
  replace(rows: Row[]): Promise<void>;
  add(rows: Row[]): Promise<void>;
  close(): Promise<void>;
}

const newestLast = (a: Row, b: Row) => a.created_at - b.created_at || (a.id < b.id ? -1 : 1);

/** `GET /v2/users` of the interface, over an array. */
const byHand = async (): Promise<Users> => {
  let rows: Row[] = [];
  const wire: Wire = await startWire(({ target }) => {
    const query = new URL(target, "http://any").searchParams;
    const offset = Number(query.get("offset") ?? 0);
    const limit = Number(query.get("limit") ?? 25);
    const sorted = rows.toSorted(newestLast);
    if (query.get("order") !== "asc") sorted.reverse();
    const data = sorted.slice(offset, offset + limit).map(({ id, created_at }) => ({
      object: "user",
      id,
      created_at,
      email: `${id}@example.com`,
      name: id,
      role: "admin",
      enabled: true,
    }));
    const next =
      offset + limit < rows.length
        ? `https://api.example.com/v2/users?offset=${offset + limit}&limit=${limit}`
        : undefined;
    return json({
      object: "user.list",
      data,
      pagination: { total: rows.length, offset, limit, count: data.length, next },
    });
  });
  return {
    url: wire.url,
    async replace(all) {
      rows = all;
    },
    async add(more) {
      rows = [...rows, ...more];
    },
    close: wire.close,
  };
};

/** The route and the database of the project's own service. */
const byService = async (): Promise<Users> => {
  const folder = await mkdtemp(join(tmpdir(), "tracklet-pages-"));
  const database: Database = await openDatabase({ databaseUrl: undefined, dataFolder: folder, seed: true });
  const app = Fastify({ ajv: { customOptions: { coerceTypes: false, removeAdditional: false } } });
  app.addSchema({
    $id: "Error",
    type: "object",
    properties: { error: { type: "string" } },
  });
  app.addSchema(UserSchema);
  app.addSchema(UserListSchema);
  app.decorateRequest("workspace", "default");
  await app.register(userRoutes(database));
  const url = await app.listen({ port: 0, host: "127.0.0.1" });
  const add = async (rows: Row[]) => {
    if (!rows.length) return;
    const values = rows.map(({ id, created_at }) => `('${id}', 'a@example.com', 'A', 'admin', true, ${created_at})`);
    await database.query(`INSERT INTO users (id, email, name, role, enabled, created_at) VALUES ${values.join(", ")}`);
  };
  return {
    url,
    add,
    replace: async (rows) => {
      await database.query("DELETE FROM users");
      await add(rows);
    },
    close: async () => {
      await app.close();
      await database.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
};

/** Fixed, so that a failure can be repeated. */
const SEED = 20_250_101;
const START = 1_735_689_600;
/** Few different times, so that many users share one. */
const existing = fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 40 });
/** How many users are added after each page: newer than all, as in life. */
const added = fc.array(fc.integer({ min: 0, max: 6 }), { maxLength: 12 });

describe.each([
  ["a list written by hand", byHand, 150],
  ["the service", byService, 40],
] as const)("%s", (_, open, runs) => {
  let users: Users;
  beforeAll(async () => {
    users = await open();
  });
  afterAll(() => users?.close());

  it("is walked without a gap and without a repetition", async () => {
    const walk = fc.asyncProperty(
      existing,
      added,
      fc.option(fc.integer({ min: 0, max: 45 }), { nil: undefined }),
      fc.option(fc.integer({ min: 1, max: 12 }), { nil: undefined }),
      fc.constantFrom("asc", "desc", undefined),
      fc.boolean(),
      async (ages, arrivals, offset, limit, order, byPage) => {
        const before = ages.map((age, index) => ({
          id: `u${String(index).padStart(3, "0")}`,
          created_at: START + age,
        }));
        await users.replace(before);
        let number = 0;
        const arrive = async (round: number) => {
          const more = Array.from({ length: arrivals[round] ?? 0 }, () => {
            number += 1;
            return { id: `v${String(number).padStart(3, "0")}`, created_at: START + 10 + number };
          });
          await users.add(more);
        };

        const list = createReader({ baseUrl: users.url, accessToken: "token" }).users.list({ offset, limit, order });
        const ids: string[] = [];
        let round = 0;
        if (byPage)
          for await (const { data } of list.pages()) {
            ids.push(...data.map(({ id }) => id));
            await arrive(round);
            round += 1;
          }
        else
          for await (const { id } of list) {
            ids.push(id);
            // The page size that is in force says when the next page is due.
            if (ids.length % (limit ?? 25) === 0) {
              await arrive(round);
              round += 1;
            }
          }

        const sorted = before.toSorted(newestLast).map(({ id }) => id);
        if (order !== "asc") sorted.reverse();
        const expected = sorted.slice(offset);
        // Who was there when the walk began, at its start or later, is met once and in order; others may be met once.
        expect(ids.filter((id) => expected.includes(id))).toEqual(expected);
        expect(new Set(ids).size).toBe(ids.length);
        const late = ids.filter((id) => id.startsWith("v"));
        if (order === "asc") expect(ids).toEqual([...expected, ...late.toSorted()]);
      },
    );
    await fc.assert(walk, { numRuns: runs, seed: SEED });
  });
});
