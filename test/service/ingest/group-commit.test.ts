import { expect, it } from "vitest";
import { createGroupCommit } from "../../../src/service/ingest/store/group-commit.js";

const ONE = { sizeOf: () => 1 };
const turn = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
/** Transactions that end when they are told to, and what each has. */
const held = () => {
  const [batches, releases] = [[] as number[][], [] as (() => void)[]];
  const add = createGroupCommit<number>(async (items) => {
    batches.push(items);
    await new Promise<void>((resolve) => releases.push(resolve));
  }, ONE);
  return { add, batches, release: () => releases.shift()!() };
};

it("commits what arrives during a transaction together in the next one, in the order of arrival", async () => {
  const { add, batches, release } = held();
  const first = add([1]);
  await turn();
  const others = [add([2]), add([3, 4])];
  expect(batches).toEqual([[1]]);
  release();
  await first;
  await turn();
  release();
  await Promise.all(others);
  expect(batches).toEqual([[1], [2, 3, 4]]);
});

it("begins a transaction beside another for a full batch, and for less waits", async () => {
  const { add, batches, release } = held();
  const sizes = () => batches.map((items) => items.length);
  const some = (amount: number) => Array.from({ length: amount }, (_, index) => add([index]));
  const [first] = some(1);
  await turn();
  some(47);
  await turn();
  expect(sizes()).toEqual([1]);
  some(1);
  await turn();
  expect(sizes()).toEqual([1, 48]);
  // Both are under way: a third waits for one of them.
  some(60);
  await turn();
  expect(sizes()).toEqual([1, 48]);
  release();
  await first;
  await turn();
  expect(sizes()).toEqual([1, 48, 60]);
});

it("refuses with 503 what would fill the memory", async () => {
  const add = createGroupCommit<number>(async () => {}, { sizeOf: () => 40 * 2 ** 20 });
  expect([...(await add([1, 2]))]).toMatchObject([[2, { statusCode: 503 }]]);
  expect((await add([3])).size).toBe(0);
});
