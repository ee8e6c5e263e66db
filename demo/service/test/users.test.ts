import { afterAll, beforeAll, expect, it } from "vitest";
import type { Database } from "../database.js";
import { openDatabase } from "../open-database.js";
import { createUserPages, rankUsers } from "../user-pages.js";
import { onBothEngines } from "./engines.js";
import { until } from "./running-service.js";

onBothEngines((place) => {
  let database: Database;
  let all: string[];
  beforeAll(async () => {
    database = await openDatabase({ ...place(), seed: false });
    // Ids that sort otherwise than they were made, and creation times that many share.
    await add(Array.from({ length: 3_000 }, (_, index) => [`user-${(index * 7919) % 3_000}`, Math.floor(index / 40)]));
    all = (await database.query<{ id: string }>("SELECT id FROM users ORDER BY created_at, id")).map(({ id }) => id);
  });
  afterAll(() => database.close());

  const add = (users: (readonly [id: string, createdAt: number])[]) =>
    database.query(
      `INSERT INTO users (id, email, name, role, enabled, created_at)
       SELECT id, 'a@example.com', 'A', 'admin', true, created_at
       FROM unnest($1::text[], $2::bigint[]) AS row (id, created_at)`,
      [users.map(([id]) => id), users.map(([, createdAt]) => String(createdAt))],
    );
  const OFFSETS = [0, 1, 499, 500, 501, 1_234, 2_500, 2_501, 2_975, 2_999, 3_000, 9_999];
  const expectPages = async () => {
    const read = createUserPages(database);
    for (const order of ["asc", "desc"] as const)
      for (const offset of OFFSETS) {
        const { total, rows } = await read({ workspace: "default", offset, limit: 60, order });
        const expected = order === "asc" ? all : all.toReversed();
        expect([total, rows.map(({ id }) => id)]).toEqual([all.length, expected.slice(offset, offset + 60)]);
      }
  };
  const ranks = () => database.query("SELECT rank FROM user_ranks");

  it("finds every page without ranks, and makes them for the next time", async () => {
    await expectPages();
    await until(async () => ((await ranks()).length === 5 ? true : undefined));
  });

  it("finds every page by the ranks", expectPages);

  it("counts those who join behind the last rank", async () => {
    await add([
      ["user-new-1", 1_000],
      ["user-new-2", 1_000],
    ]);
    all.push("user-new-1", "user-new-2");
    await expectPages();
  });

  it("is right again after users were removed, once they are ranked anew", async () => {
    await database.query("DELETE FROM users WHERE created_at < 30");
    await rankUsers(database, "default");
    all = all.slice(1_200);
    await expectPages();
    expect(await ranks()).toHaveLength(3);
  });
});
