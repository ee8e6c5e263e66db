/** How the inspector puts answers together, of which browser and tracker both tell. */
import { describe, expect, it } from "vitest";
import { createAnswers } from "../../../../src/inspector/watch/answers.js";

describe("an answer that the browser and the tracker tell of", () => {
  const bought = { at: 3, status: 404, event: "bought" };

  it("is listed once, by its name, whoever comes first", () => {
    for (const isRecordFirst of [true, false]) {
      const { list, count, record, tell } = createAnswers();
      if (isRecordFirst) record(2, 404);
      tell(bought, true);
      if (!isRecordFirst) record(2, 404);
      expect([list, count()]).toEqual([[bought], 1]);
    }
  });

  it("is another one where the status is, or where its event was queued later", () => {
    const { list, record, tell } = createAnswers();
    record(2, 404);
    tell({ ...bought, status: 200 }, true);
    tell(bought, false);
    record(1, 500);
    expect(list.map(({ at, status }) => [at, status])).toEqual([
      [3, 200],
      [3, 404],
      [2, 404],
      [1, 500],
    ]);
  });

  it("takes the newest record that has its status, and only that one", () => {
    const { list, record, tell } = createAnswers();
    record(1, 404);
    record(2, 404);
    tell(bought, true);
    expect(list).toEqual([bought, { at: 1, status: 404, event: "" }]);
  });

  it("is only counted when too many have followed", () => {
    const { list, count, record } = createAnswers();
    for (let at = 1; at <= 30; at++) record(at, 200);
    expect([list.length, list[0]!.at, count()]).toEqual([20, 30, 30]);
  });
});
