// @vitest-environment happy-dom
/** What the inspector reads of the storage. */
import { beforeEach, describe, expect, it } from "vitest";
import { readEvent, readStored, SHOWN } from "../../../src/inspector/stored.js";

describe("the body of a stored event", () => {
  it.each(["", "!"])("is read behind the mark %j", (mark) =>
    expect(
      readEvent(`${mark}{"contact_uid":"c","event_uid":"pageview","params":{"visit_url":"https://shop.example/"}}`),
    ).toEqual({ event: "pageview", contact: "c", visitUrl: "https://shop.example/" }),
  );

  it.each(["", "{", "null", "5", '"text"', "[]", "{}", '{"event_uid":5}', "!!", "\ud800"])("%j is none", (body) =>
    expect(readEvent(body)).toBeUndefined(),
  );

  it.each(["null", "5", "[]", '{"visit_url":{}}'])("without readable params, %s, is one all the same", (params) =>
    expect(readEvent(`{"event_uid":"e","contact_uid":{},"params":${params}}`)).toEqual({
      event: "e",
      contact: "",
      visitUrl: "",
    }),
  );
});

describe("the storage", () => {
  const row = (event: string) => JSON.stringify({ contact_uid: "c", event_uid: event, params: {} });
  const key = (number: number) => `tracklet:event:tab:${1_000_000 + number}:${Date.now()}:`;
  const fill = (numbers: number[]) => {
    for (const number of numbers) localStorage.setItem(key(number), row(`e${number}`));
  };
  const shown = () => readStored("tracklet").events.map(({ event }) => event);

  beforeEach(() => localStorage.clear());

  it("holds the first hundred in order, whatever order the browser lists them in, and the number of all", () => {
    const numbers = Array.from({ length: 1_000 }, (_, index) => index);
    const first = numbers.slice(0, SHOWN).map((number) => `e${number}`);
    for (const order of [numbers, numbers.toReversed(), numbers.map((number) => (number * 367) % 1_000)]) {
      localStorage.clear();
      localStorage.setItem("cart", "5");
      localStorage.setItem(`shop:event:tab:1:1:`, row("of another tracker"));
      fill(order);
      expect(shown()).toEqual(first);
      expect(readStored("tracklet").eventCount).toBe(1_000);
    }
  });
});
