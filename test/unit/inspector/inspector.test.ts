/** What the inspector says of answers and of consent; the panel itself is tested in a browser. */
import { describe, expect, it } from "vitest";
import { createAnswers } from "../../../src/inspector/answers.js";
import { consentOf } from "../../../src/inspector/consent.js";
import { all, answered, finding, next, QUIET, say, TAG } from "./say.js";

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
    // But a pause that stands has a reason.
    expect(say({ answers }, {}, { pauseMs: 1 })).toEqual([finding("problem", "status 401")]);
  });

  it("is not missed where the browser's own record does not tell it, unless a pause stands", () => {
    expect(say(answered(0, ""))).toEqual([finding("note", "No answer to a request has been seen yet.")]);
    expect(say(answered(0, ""), {}, { pauseMs: 1 })).toEqual([finding("problem", "The last request had no answer.")]);
  });

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
    expect(say({ problems: new Map([[code, new Set([detail])]]) })).toEqual([
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

describe("an answer that the browser and the tracker tell of", () => {
  const bought = { at: 3, status: 404, event: "bought" };

  it("is listed once, by its name, whoever comes first", () => {
    for (const isRecordFirst of [true, false]) {
      const { list, record, tell } = createAnswers();
      if (isRecordFirst) record(2, 404);
      tell(bought, true);
      if (!isRecordFirst) record(2, 404);
      expect(list).toEqual([bought]);
    }
  });

  it("is another one where the status is, or where its event was queued later", () => {
    const { list, record, tell } = createAnswers();
    record(2, 404);
    tell({ ...bought, status: 200 }, true);
    tell(bought, false);
    record(1, 500);
    expect(list.map(({ at, status, event }) => [at, status, event])).toEqual([
      [3, 200, "bought"],
      [3, 404, "bought"],
      [2, 404, ""],
      [1, 500, ""],
    ]);
  });

  it("takes the newest record that has its status, and only that one", () => {
    const { list, record, tell } = createAnswers();
    record(1, 404);
    record(2, 404);
    tell(bought, true);
    expect(list).toEqual([bought, { at: 1, status: 404, event: "" }]);
  });

  it("is forgotten when too many have followed", () => {
    const { list, record } = createAnswers();
    for (let at = 1; at <= 30; at++) record(at, 200);
    expect(list.length).toBe(20);
    expect(list[0]).toMatchObject({ at: 30 });
  });
});

describe("before an answer", () => {
  it("nothing is said to be right", () => {
    expect(say(QUIET)).toEqual([{ kind: "note", text: "No request has been seen yet: perhaps nothing was tracked." }]);
    expect(say(QUIET, {}, { eventCount: 1, readyMs: 1 })).toEqual([
      { kind: "note", text: "No request has been seen yet." },
    ]);
    expect(say(QUIET, {}, { eventCount: 1, readyMs: 1, pauseMs: 5_000 })).toEqual([
      finding("note", "perhaps an earlier page has failed to send, and it is too early for another attempt."),
    ]);
    expect(say({ ...QUIET, hasRequests: true })).toEqual([finding("note", "No answer to a request")]);
  });

  it("the possible reasons are told, as far as they cannot be ruled out", () => {
    expect(say(QUIET, { tag: { ...TAG, consent: "pending" } }, { contact: "" })).toEqual([
      finding("note", "perhaps nobody is identified, or there is no consent, or nothing was tracked."),
    ]);
    expect(say(QUIET, { tag: undefined, hasGpc: true }, { consent: "granted" })).toEqual([
      finding(
        "note",
        "perhaps respectGpc obeys the browser's Global Privacy Control signal, or init was given no apiToken or no trackUrl, or",
      ),
    ]);
  });

  it("an event that waits for no reason is a problem", () => {
    const stored = { readyMs: 21_000, eventCount: 1 };
    const stuck = finding("problem", "no request is made: check that apiToken and trackUrl are given");
    expect(say(QUIET, { tag: undefined }, stored)).toEqual([stuck]);
    expect(say(QUIET, { tag: undefined }, { ...stored, pauseMs: 1 })).not.toContainEqual(stuck);
    expect(say(QUIET, { tag: undefined }, { ...stored, readyMs: 19_000 })).not.toContainEqual(stuck);
    expect(say({}, { tag: undefined }, stored)).toEqual([]);
  });
});

describe("a tracker without what it needs", () => {
  it("has no options", () =>
    expect(say(QUIET, { global: "idle", tag: undefined })).toEqual([finding("problem", "The tracker has no options")]));

  it.each([
    ["apiToken", "The tag has no data-api-token."],
    ["trackUrl", "The tag has no data-track-url."],
  ])("lacks %s, absent or empty", (option, text) => {
    const { [option as "apiToken"]: _, ...rest } = TAG;
    for (const tag of [rest, { ...TAG, [option]: "" }])
      expect(say(QUIET, { tag })).toEqual([{ kind: "problem", text }]);
  });

  it("is not missed anything where a call configures it", () => expect(say({}, { tag: {} })).toEqual([]));
});

describe("a script that has not loaded", () => {
  it("is told with its reason, once that is known", () => {
    expect(say({}, { global: "absent" })).toEqual([finding("problem", "of the tag has not loaded yet")]);
    expect(say({ script: "It is not there." }, { global: "absent" })).toEqual([finding("problem", "It is not there.")]);
    expect(say({ script: "It is not there." }, { global: "waiting", calls: [["reset"]] })).toEqual([
      finding("problem", "It is not there. Calls wait (1)."),
    ]);
    expect(say({ script: "It is not there." })).toEqual([]);
  });
});

describe("an answer that is a web page", () => {
  it("is not taken for stored", () =>
    expect(say({ isWebPage: true })).toEqual([finding("problem", "it is a web page (HTML), not the service's")]));

  it.each([
    ["/track.example.com/v1/track/event", "https://track.example.com"],
    ["/shop/track.example.com:8080/v1/track/event", "https://track.example.com:8080"],
  ])("may come from a path of the page, where a host was meant: %s", (path, meant) =>
    expect(say({ address: `https://shop.example${path}` }, { tag: undefined })).toEqual([finding("problem", meant)]),
  );

  it.each(["https://shop.example/i/e", "https://shop.example/event.php/v1", "https://other.example/a.example.com/e"])(
    "does not where the path is one: %s",
    (address) => expect(say({ address }, { tag: undefined })).toEqual([]),
  );
});

describe("consent that is denied", () => {
  it.each([
    ["by the tag", { tag: { ...TAG, consent: "denied" } }, {}, {}, 'data-consent="denied"'],
    ["by the browser's signal", { hasGpc: true, tag: { ...TAG, respectGpc: "" } }, {}, {}, "Global Privacy Control"],
    ["by the visitor", {}, { consent: "denied" }, {}, "The visitor has refused"],
    ["by what cannot be seen", { tag: undefined }, {}, { isDenied: true }, "by the option consent"],
  ])("%s is told, and shown, whatever was chosen", (_, snapshot, stored, activity, text) => {
    const chosen = { consent: "granted", ...stored };
    expect(say({ ...QUIET, ...activity }, snapshot, chosen)).toEqual([finding("note", text)]);
    expect(consentOf(...all(activity, snapshot, chosen))).toBe("denied");
    expect(next(activity, snapshot, chosen)).toBe("none, as things are");
  });

  it("is not, by a signal that nothing obeys", () => {
    for (const tag of [TAG, { ...TAG, respectGpc: "false" }]) expect(say({}, { hasGpc: true, tag })).toEqual([]);
    expect(consentOf(...all({}, { hasGpc: true }, { consent: "granted" }))).toBe("granted");
  });
});

describe("the next attempt", () => {
  it.each([
    ["of nothing", {}, {}, {}, "once there is something to send"],
    ["of an event of nobody", {}, {}, { eventCount: 1 }, "once somebody is identified"],
    ["of an event", {}, {}, { readyMs: 1 }, "at once"],
    ["of an event, before any request", QUIET, {}, { readyMs: 1 }, "none yet"],
    ["after a failure", {}, {}, { readyMs: 1, pauseMs: 1_001 }, "in 2 s"],
    ["after a timeout", answered(408), {}, { readyMs: 1, pauseMs: 1_001 }, "in 2 s"],
    [
      "of a wrong token",
      answered(401),
      {},
      { readyMs: 1, pauseMs: 295_001 },
      "in 296 s; a corrected page delivers at once when it is loaded",
    ],
    ["offline", {}, { isOnline: false }, { readyMs: 1, pauseMs: 1 }, "none, as things are"],
    ["without a token", {}, { tag: { ...TAG, apiToken: "" } }, { readyMs: 1 }, "none, as things are"],
    ["without options", {}, { global: "idle" as const }, { readyMs: 1 }, "none, as things are"],
    ["without the script", {}, { global: "waiting" as const }, {}, "none, as things are"],
  ])("%s", (_, activity, snapshot, stored, text) => expect(next(activity, snapshot, stored)).toBe(text));
});
