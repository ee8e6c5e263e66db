/** In which order rows are read, which browsers list as they like. What becomes of them: test/simulation. */
import { expect, it, vi } from "vitest";
import { fresh } from "../fresh.js";

it("lists its own keys in the order of their characters, and nobody else's", async () => {
  const rows: Record<string, string> = { "other:a": "x", mine: "x", "not mine:z": "x" };
  vi.stubGlobal("localStorage", rows);
  const store = await fresh({ name: "mine" }, () => import("../../../../src/browser/state/storage.js"));
  store.allow("granted");
  for (const key of ["mine:b:10", "mine:a:2", "mine:b:09"]) store.set(key, "x");
  expect(store.keys()).toEqual(["mine:a:2", "mine:b:09", "mine:b:10"]);
});
