/** What the inspector reads of the storage. */
import { beforeEach, describe, expect, it, vi } from "vitest";
import { configure } from "../../../../src/browser/config.js";
import { claim, fail } from "../../../../src/browser/delivery/back-off.js";
import { type Row, readRow, writeRow } from "../../../../src/browser/delivery/row.js";
import { allow } from "../../../../src/browser/state/storage.js";
import { keysOf, readEvent, readStored, SHOWN } from "../../../../src/inspector/watch/stored.js";
import { TAG } from "../say.js";

describe("the body of a stored event", () => {
  it.each(["", "{", "null", "5", '"text"', "[]", "{}", '{"event_uid":5}', "!!", "\ud800"])("%j is none", (body) =>
    expect(readEvent(body)).toBeUndefined(),
  );

  it.each(["null", "5", "[]", '{"visit_url":{}}'])("without readable params, %s, is one all the same", (params) =>
    expect(readEvent(`{"event_uid":"e","contact_uid":{},"params":${params}}`)).toMatchObject({
      event: "e",
      contact: "",
      visitUrl: "",
    }),
  );
});

describe("the storage", () => {
  const { events, identities, backOff } = keysOf("tracklet", TAG);
  const key = (number: number) => `${events[0]}tab:${1_000_000 + number}:${Date.now()}`;
  const put = (number: number, changes: Partial<Row> = {}) => {
    const body = JSON.stringify({
      contact_uid: "c",
      event_uid: `e${number}`,
      params: { visit_url: "https://a.example/" },
    });
    localStorage.setItem(key(number), writeRow({ ...readRow(key(number), `0,0,${body}`), ...changes }));
  };

  beforeEach(() => {
    localStorage.clear();
    // happy-dom has none.
    vi.stubGlobal("origin", location.origin);
  });

  it("says of an event what was tried", () => {
    put(1, { failures: 2, lease: -5 });
    const told = { event: "e1", contact: "c", visitUrl: "https://a.example/", failures: 2, isUndecided: true };
    // It is not waited for.
    expect(readStored("tracklet", TAG)).toMatchObject({ events: [told], readyMs: 0 });
  });

  it("knows what a former token has left, unless somebody was named since", () => {
    const tokens = { apiToken: "new", formerToken: TAG.apiToken };
    put(1);
    localStorage.setItem(identities[0]!, "\0ann\0acme");
    expect(readStored("tracklet", tokens)).toMatchObject({ eventCount: 1, contact: "ann", account: "acme" });
    localStorage.setItem(keysOf("tracklet", tokens).identities[0]!, "\0bob\0");
    expect(readStored("tracklet", tokens)).toMatchObject({ contact: "bob", account: "" });
  });

  it("says when the next attempt comes, as long as no probe is under way", () => {
    configure({ ...TAG, name: "tracklet" });
    allow("granted");
    const pause = () => Math.ceil(readStored("tracklet", TAG).pauseMs / 1_000);
    fail("", 0, 4_000);
    expect(pause()).toBe(4);
    claim({ failures: 0 } as Row, Date.now());
    expect(pause()).toBe(0);
    for (const row of [`${Date.now() - 5_000},4000,3,`, `${Date.now() + 9_000},4000,3,`, "x"]) {
      localStorage.setItem(backOff, row);
      expect(pause()).toBe(0);
    }
  });

  it("holds the first hundred in order, whatever order the browser lists them in, and the number of all", () => {
    const numbers = Array.from({ length: 300 }, (_, index) => index);
    const first = numbers.slice(0, SHOWN).map((number) => `e${number}`);
    for (const order of [numbers, numbers.toReversed(), numbers.map((number) => (number * 7) % 300)]) {
      localStorage.clear();
      localStorage.setItem("cart", "5");
      localStorage.setItem(key(0).replace("tracklet", "shop"), "0,0,{}");
      for (const number of order) put(number);
      const { events, eventCount } = readStored("tracklet", TAG);
      expect([events.map(({ event }) => event), eventCount]).toEqual([first, 300]);
    }
  });
});
