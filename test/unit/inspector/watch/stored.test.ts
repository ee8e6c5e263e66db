// @vitest-environment happy-dom
/** What the inspector reads of the storage. */
import { beforeEach, describe, expect, it } from "vitest";
import { configure } from "../../../../src/browser/config.js";
import { claim, fail } from "../../../../src/browser/delivery/backoff.js";
import { EVENT, type Row, readRow, writeRow } from "../../../../src/browser/delivery/row.js";
import { open } from "../../../../src/browser/state/storage.js";
import { readEvent, readStored, SHOWN } from "../../../../src/inspector/watch/stored.js";

describe("the body of a stored event", () => {
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
  const key = (number: number) => `${EVENT}tab:${1_000_000 + number}:${Date.now()}`;
  const put = (number: number, changes: Partial<Row> = {}) => {
    const body = JSON.stringify({
      contact_uid: "c",
      event_uid: `e${number}`,
      params: { visit_url: "https://a.example/" },
    });
    localStorage.setItem(`tracklet:${key(number)}`, writeRow({ ...readRow(key(number), `0,0,${body}`), ...changes }));
  };

  beforeEach(() => localStorage.clear());

  it("says of an event what was tried", () => {
    put(1, { failures: 2, handedOffAt: 5 });
    const told = { event: "e1", contact: "c", visitUrl: "https://a.example/", failures: 2, isHandedOff: true };
    // It is not waited for.
    expect(readStored("tracklet")).toMatchObject({ events: [told], readyMs: 0 });
  });

  it("says when the next attempt comes, as long as no probe is under way", () => {
    configure({ name: "tracklet", apiToken: "", trackUrl: "" });
    open(true);
    const pause = () => Math.ceil(readStored("tracklet").pauseMs / 1_000);
    fail("", 0, 4_000);
    expect(pause()).toBe(4);
    claim("another event");
    expect(pause()).toBe(0);
    for (const row of [`${Date.now() - 5_000},4000,3,1,0,`, `${Date.now() + 9_000},4000,3,1,0,`, "x"]) {
      localStorage.setItem("tracklet:backoff", row);
      expect(pause()).toBe(0);
    }
  });

  it("holds the first hundred in order, whatever order the browser lists them in, and the number of all", () => {
    const numbers = Array.from({ length: 300 }, (_, index) => index);
    const first = numbers.slice(0, SHOWN).map((number) => `e${number}`);
    for (const order of [numbers, numbers.toReversed(), numbers.map((number) => (number * 7) % 300)]) {
      localStorage.clear();
      localStorage.setItem("cart", "5");
      localStorage.setItem(`shop:${key(0)}`, "0,0,{}");
      for (const number of order) put(number);
      const { events, eventCount } = readStored("tracklet");
      expect([events.map(({ event }) => event), eventCount]).toEqual([first, 300]);
    }
  });
});
