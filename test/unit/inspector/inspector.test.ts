/** What the inspector says of answers and of consent; the panel itself is tested in a browser. */
import { describe, expect, it } from "vitest";
import { createAnswers } from "../../../src/inspector/answers.js";
import { consentOf } from "../../../src/inspector/consent.js";
import { all, answered, finding, first, next, QUIET, say, TAG } from "./say.js";

describe("the last answer", () => {
  it.each([
    [200, 3_001, "Working: the last event was stored 3 s ago (200)."],
    [204, 150_000, "Working: the last event was stored 3 min ago (204)."],
    [200, 7_200_000, "Working: the last event was stored 2 h ago (200)."],
  ])("%i proves that all is well, and says when that was", (status, now, text) =>
    expect(first(answered(status), { now })).toEqual({ kind: "fine", text }),
  );

  it("proves little with text/plain", () =>
    expect(first({ options: { ...TAG, contentType: "text/plain" } }).text).toMatch(/^The last event was sent 3 s ago/));

  it.each([
    [401, "refuses the API token"],
    [403, "refuses the API token"],
    [404, "no event endpoint at https://track.example.com/v1/track/event"],
    [405, "no event endpoint"],
    [302, "redirects, which is not followed"],
    [421, "does not answer for this host name (status 421): check the host in data-track-url"],
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

  it("for the visitor's choice", () => {
    const pending = { tag: { ...TAG, consent: "pending" } };
    const waits = "until optIn() or optOut() is called. Events that wait in memory: 2.";
    expect(say({ ...QUIET, pending: 2 }, pending, { contact: "" })).toEqual([finding("note", waits)]);
    expect(next({ pending: 2 }, pending)).toBe("once the visitor agrees");
    expect(say({ pending: 2 }, pending, { consent: "denied" })).toEqual([finding("note", "refused")]);
    expect(say({ pending: 2 }, pending, { consent: "granted" })).toEqual([]);
  });

  it("because of beforeSend, all of them or some", () => {
    const dropped = new Map([["beforeSend", 3]]);
    expect(say({ ...QUIET, dropped })).toEqual([
      finding("problem", "beforeSend drops every event (3 since this panel"),
    ]);
    expect(say({ dropped, queued: 1 })).toEqual([finding("note", "beforeSend has dropped events (3 since this panel")]);
    const options = { ...TAG, beforeSend: () => null };
    expect(say({ ...QUIET, options })).toEqual([
      finding("note", "perhaps nothing was tracked, or beforeSend has dropped it"),
    ]);
  });

  it("because the script itself has failed", () =>
    expect(say({ problems: new Map([["error", new Set(["TypeError: x"])]]) })).toEqual([
      finding("problem", "tracklet itself has failed, please report it: TypeError: x."),
    ]));
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
    expect(say(QUIET, {}, { contact: "" })).toEqual([
      finding("note", "perhaps nobody is identified, or nothing was tracked."),
    ]);
  });

  it("an event that waits for no reason is a problem", () => {
    const stored = { readyMs: 21_000, eventCount: 1 };
    const stuck = finding("problem", "no request is made: check that apiToken and trackUrl are given");
    expect(say(QUIET, {}, stored)).toEqual([stuck]);
    expect(say(QUIET, {}, { ...stored, pauseMs: 1 })).not.toContainEqual(stuck);
    expect(say(QUIET, {}, { ...stored, readyMs: 19_000 })).not.toContainEqual(stuck);
    expect(say({}, {}, stored)).toEqual([]);
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

describe("an address that cannot work", () => {
  it.each([
    ["http://track.example.com/v1/track/event", 1],
    ["http://127.0.0.1:4100/v1/track/event", 0],
    ["https://track.example.com/v1/track/event", 0],
  ])("http below a page that is https: %s", (address, count) => {
    const mixed = finding(
      "problem",
      `the service's address, ${address}, is http: the browser lets no such request out`,
    );
    expect(say({ ...answered(200), address })).toEqual(count ? [mixed] : []);
    if (count) expect(next({ address }, {}, { readyMs: 1 })).toBe("none, as things are");
  });

  it("a path of the site that passes nothing on", () => {
    const own = { address: "https://shop.example/v1/track/event" };
    const proxy = "This site itself answers at https://shop.example/v1/track/event (status 404), and passes nothing on";
    expect(say({ ...answered(404), ...own })).toEqual([finding("problem", proxy)]);
    expect(say({ ...own, isWebPage: true })).toEqual([finding("problem", "(a web page, HTML), and passes nothing on")]);
  });
});

describe("calls that reach nobody", () => {
  it("wait in the array of the usual name, while the tracker has another one", () =>
    expect(say({}, { name: "shop", strayCalls: 2 })).toEqual([
      finding(
        "problem",
        "Calls wait in window.tracklet (2), and nothing takes them over: this tracker is called shop.",
      ),
    ]));

  it("are made as a method, before the script has loaded", () => {
    const direct = finding("note", 'Write tracklet.push(["identify", …]), which waits.');
    expect(say({}, { hasDirectIdentify: true }, { contact: "" })).toEqual([direct]);
    expect(say({}, { hasDirectIdentify: true })).toEqual([]);
  });
});

describe("an answer that is a web page", () => {
  it("is not taken for stored", () =>
    expect(say({ isWebPage: true })).toEqual([finding("problem", "it is a web page (HTML), not the service's")]));

  it.each([
    ["/track.example.com/v1/track/event", "https://track.example.com"],
    ["/shop/track.example.com:8080/v1/track/event", "https://track.example.com:8080"],
  ])("may come from a path of the page, where a host was meant: %s", (path, meant) =>
    expect(say({ options: TAG, address: `https://shop.example${path}` }, { tag: undefined })).toEqual([
      finding("problem", meant),
    ]),
  );

  it.each(["https://shop.example/i/e", "https://shop.example/event.php/v1", "https://other.example/a.example.com/e"])(
    "does not where the path is one: %s",
    (address) => expect(say({ address }, { tag: undefined })).toEqual([]),
  );
});

describe("consent that is denied", () => {
  it.each([
    ["by the option", {}, {}, { options: { ...TAG, consent: "denied" } }, 'The option consent is "denied"'],
    ["by the browser's signal", { hasGpc: true, tag: { ...TAG, respectGpc: "" } }, {}, {}, "Global Privacy Control"],
    ["by the visitor", {}, { consent: "denied" }, {}, "The visitor has refused"],
    ["by the visitor, without storage", {}, {}, { isDenied: true }, "The visitor has refused"],
  ])("%s is told, and shown, whatever was chosen", (_, snapshot, stored, activity, text) => {
    const chosen = { consent: "granted", ...stored };
    expect(say({ ...QUIET, ...activity }, snapshot, chosen)).toEqual([finding("note", text)]);
    expect(consentOf(...all(activity, snapshot, chosen))).toBe("denied: nothing is stored or sent");
    expect(next(activity, snapshot, chosen)).toBe("none, as things are");
  });

  it("is not, by a signal that nothing obeys", () => {
    for (const tag of [TAG, { ...TAG, respectGpc: "false" }]) expect(say({}, { hasGpc: true, tag })).toEqual([]);
  });

  it.each([
    [TAG, "granted", "granted by the visitor: sending is allowed"],
    [TAG, "", "no choice is stored: sending is allowed"],
    [{ ...TAG, consent: "pending" }, "", "pending: nothing is stored or sent until optIn() is called"],
  ])("where it is not, whether sending is allowed is shown: %j, %j", (tag, consent, text) =>
    expect(consentOf(...all({}, { tag }, { consent }))).toBe(text),
  );
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
