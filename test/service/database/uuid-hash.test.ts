import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Database } from "../../../src/service/database/database.js";
import { openDatabase } from "../../../src/service/database/open-database.js";
import { hashUuid } from "../../../src/service/database/postgres/uuid-hash.js";
import { openPlace } from "../support/places.js";

let place: Awaited<ReturnType<typeof openPlace>>;
let database: Database;
beforeAll(async () => {
  place = await openPlace();
  database = await openDatabase(place);
});
afterAll(async () => {
  await database.close();
  await place.leave();
});

it("hashes ids as the database does", async () => {
  const ids = ["00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff"];
  for (let count = 0; count < 1_000; count += 1) ids.push(randomUUID());
  const rows = await database.query<{ id: string; hash: number }>(
    "SELECT id::text, uuid_hash(id) AS hash FROM unnest($1::uuid[]) AS id",
    [ids],
  );
  expect(rows).toHaveLength(ids.length);
  expect(rows.filter(({ id, hash }) => hashUuid(id) !== hash)).toEqual([]);
});
