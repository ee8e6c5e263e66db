import { expect, it } from "vitest";
import { createGroupCommit } from "../../../src/service/ingest/store/group-commit.js";

const one = (): number => 1;

it("commits what arrives during a transaction together in the next one, in the order of arrival", async () => {
  const batches: number[][] = [];
  let release = (): void => {};
  const add = createGroupCommit<number>(
    async (items) => {
      batches.push(items);
      if (batches.length === 1) await new Promise<void>((resolve) => (release = resolve));
    },
    { sizeOf: one },
  );
  const first = add(1);
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  const others = [add(2), add(3), add(4)];
  expect(batches).toEqual([[1]]);
  release();
  await Promise.all([first, ...others]);
  expect(batches).toEqual([[1], [2, 3, 4]]);
});

it("begins a transaction beside another for a full batch, and for less waits", async () => {
  const batches: number[] = [];
  const releases: (() => void)[] = [];
  const commit = async (items: number[]): Promise<undefined> => {
    batches.push(items.length);
    await new Promise<void>((resolve) => releases.push(resolve));
  };
  const add = createGroupCommit<number>(commit, { sizeOf: one });
  const turn = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  const adds = [add(0)];
  await turn();
  adds.push(...Array.from({ length: 47 }, (_, index) => add(index)));
  await turn();
  expect(batches).toEqual([1]);
  adds.push(add(48));
  await turn();
  expect(batches).toEqual([1, 48]);
  // Both are under way: a third waits for one of them.
  adds.push(...Array.from({ length: 60 }, (_, index) => add(index)));
  await turn();
  expect(batches).toEqual([1, 48]);
  releases.shift()!();
  await adds[0];
  await turn();
  expect(batches).toEqual([1, 48, 60]);
  for (const release of releases) release();
  await Promise.all(adds);
});

it("fails only the item that the database refuses", async () => {
  const written: number[] = [];
  const add = createGroupCommit<number>(
    async (items) => {
      if (items.includes(3)) throw new Error("refused");
      written.push(...items);
    },
    { sizeOf: one },
  );
  const settled = await Promise.allSettled([1, 2, 3, 4].map(add));
  expect(settled.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected", "fulfilled"]);
  expect(written).toEqual([1, 2, 4]);
});

it("fails a whole batch at once when the database is away, and works again afterwards", async () => {
  let attempts = 0;
  const add = createGroupCommit<number>(
    async () => {
      attempts += 1;
      if (attempts === 1) throw Object.assign(new Error("gone"), { code: "ECONNREFUSED" });
    },
    { sizeOf: one },
  );
  const settled = await Promise.allSettled([1, 2, 3].map(add));
  expect(settled.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
  expect(attempts).toBe(1);
  await add(4);
});

it("refuses with 503 what would fill the memory", async () => {
  const add = createGroupCommit<number>(async () => {}, { sizeOf: () => 40 * 2 ** 20 });
  const settled = await Promise.allSettled([add(1), add(2)]);
  expect(settled).toMatchObject([{ status: "fulfilled" }, { status: "rejected", reason: { statusCode: 503 } }]);
  await add(3);
});

it("lets no lane wait for another one", async () => {
  const add = createGroupCommit<number>(
    async (_, lane) => {
      if (lane === 0) await new Promise(() => {});
      return undefined;
    },
    { sizeOf: one, laneOf: (item) => item % 2 },
  );
  for (let item = 0; item < 100; item += 2) void add(item);
  await Promise.all([add(1), add(3), add(5)]);
});

it("fails what a transaction leaves out, and that alone", async () => {
  const add = createGroupCommit<number>(async (items) => new Map(items.includes(2) ? [[2, new Error("away")]] : []), {
    sizeOf: one,
  });
  const settled = await Promise.allSettled([1, 2, 3].map(add));
  expect(settled).toMatchObject([{ status: "fulfilled" }, { reason: { message: "away" } }, { status: "fulfilled" }]);
});
