/** What the inspector says of answers and of the storage; the panel itself is tested in a browser. */
import { describe, expect, it } from "vitest";
import { type Finding, findingsOf, type Seen } from "../src/inspector/findings.js";
import type { Heard } from "../src/inspector/heard.js";
import { readEvent, type Stored } from "../src/inspector/stored.js";

const SEEN: Seen = { name: "tracklet", global: "loaded", calls: 0, tag: undefined, strange: [], isOnline: true };
const STORED: Stored = {
  isThere: true,
  contact: "contact-1",
  account: "",
  consent: "",
  events: [],
  eventCount: 0,
  pauseMs: 0,
};
const HEARD: Heard = {
  answers: [],
  views: [],
  problems: new Map(),
  pending: 0,
  address: "https://track.example.com/v1/track/event",
  silence: "unknown",
};

const answered = (status: number, event = "signup"): Heard => ({ ...HEARD, answers: [{ at: 1, status, event }] });
const say = (heard: Partial<Heard> = {}, seen: Partial<Seen> = {}, stored: Partial<Stored> = {}): Finding[] =>
  findingsOf({ ...SEEN, ...seen }, { ...STORED, ...stored }, { ...HEARD, ...heard });

describe("the last answer", () => {
  it.each([200, 202, 204])("%i is nothing to speak of", (status) => expect(say(answered(status))).toEqual([]));

  it.each([
    [401, "refuses the API token"],
    [403, "refuses the API token"],
    [404, "no event endpoint at https://track.example.com/v1/track/event"],
    [405, "no event endpoint"],
    [302, "redirects, which is not followed"],
    [429, "asks to send less"],
    [408, "fails (status 408)"],
    [500, "fails (status 500)"],
    [400, "refuses what it is sent (status 400)"],
    [413, "refuses what it is sent (status 413)"],
    [0, "had no answer"],
  ])("%i: %s", (status, text) => {
    const found = say(answered(status));
    expect(found).toEqual([{ kind: "problem", text: expect.stringContaining(text) }]);
  });

  it("counts alone: what has passed is not told", () => {
    const answers = [
      { at: 2, status: 200, event: "b" },
      { at: 1, status: 401, event: "a" },
    ];
    expect(say({ answers })).toEqual([]);
  });

  it("is not missed where the browser's own record does not tell it", () => expect(say(answered(0, ""))).toEqual([]));

  it("is no mistake while the browser is offline", () =>
    expect(say(answered(0), { isOnline: false })).toEqual([
      { kind: "note", text: expect.stringContaining("The browser is offline") },
    ]));
});

describe("events that were dropped, and those that wait", () => {
  it.each([
    ["rejected", "status 413", "because the service refuses it: status 413"],
    ["evicted", "maxAgeMs", "because too many wait or too long: maxAgeMs"],
    ["input", "eventUid", "is wrong: eventUid"],
  ])("%s", (code, detail, text) =>
    expect(say({ problems: new Map([[code, detail]]) })).toEqual([
      { kind: "problem", text: expect.stringContaining(text) },
    ]),
  );

  it("by the visitor's choice", () => {
    expect(say({ pending: 2 }, {}, { consent: "denied" })).toEqual([
      { kind: "note", text: expect.stringContaining("refused") },
    ]);
    expect(say({ pending: 2 }, {}, { consent: "granted" })).toEqual([]);
  });
});

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
