import { expect, it } from "vitest";
import { changeOf, percentOf } from "../../src/shared/change.js";

it("rounds a change the same in words and in figures, and tells none of nothing", () => {
  const told = ([now, before]: [number, number]) => [changeOf(now, before), percentOf(now, before)];
  expect(
    (
      [
        [42, 112],
        [9, 8],
        [2_500, 1],
        [250, 251],
        [3, 0],
        [0, 0],
      ] as [number, number][]
    ).map(told),
  ).toEqual([
    ["-62%", -62],
    ["+13%", 13],
    ["+249,900%", 249_900],
    ["0%", -0],
    ["0 before", null],
    ["", null],
  ]);
});
