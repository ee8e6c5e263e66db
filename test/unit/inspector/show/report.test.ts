/** What the inspector's report has beside the steps; the panel itself is tested in a browser. */
import { expect, it } from "vitest";
import { reportOf, textOf } from "../../../../src/inspector/show/report.js";
import { answer, type Changes, evidence, PENDING, QUIET, TAG, tag } from "../say.js";

const report = (changes: Changes = {}) => reportOf(evidence(changes));
const exchanges = (...given: ReturnType<typeof answer>[]) => ({ activity: { exchanges: given } });

it.each<[headline: string, kind: string, changes: Changes]>([
  ["Working: the last event was stored 3 s ago (200).", "good", {}],
  [
    "Working: the last event was stored 3 min ago (204).",
    "good",
    { ...exchanges(answer(204)), page: { now: 150_000 } },
  ],
  ["Working: the last event was stored 2 h ago (200).", "good", { page: { now: 7_200_000 } }],
  ["It stops at “Answered”.", "bad", exchanges(answer(401))],
  ["An event was stored, but not all is right at “Options”.", "bad", { page: { tags: [tag({ ...TAG, stamp: "x" })] } }],
  ["Nothing is wrong so far. It waits at “Allowed”.", "waits", { page: PENDING, activity: QUIET }],
  ["Nothing wrong is to be seen, and nothing was sent yet.", "unknown", { activity: { ...QUIET, quietMs: 0 } }],
  // Nobody has heard what the service said.
  ["An answer was good, and what it said was not heard", "unknown", exchanges(answer(200, { body: "", words: "" }))],
])("in a sentence: %s", (headline, kind, changes) =>
  expect(report(changes)).toMatchObject({ headline: expect.stringContaining(headline), kind }),
);

const TEST = { event: "tracklet_test", body: '{"event_uid":"tracklet_test"}' };
it.each<[text: string, changes: Changes]>([
  ["", {}],
  [
    'stored at the service (200 {"status":"success"})',
    { activity: { isTested: true, exchanges: [answer(200, TEST)] } },
  ],
  ["sent, and not answered yet", { activity: { isTested: true, exchanges: [answer(-1, TEST)] } }],
  ["stands at “Answered”: 401", { activity: { isTested: true, exchanges: [answer(401, TEST)] } }],
  ["stands at “Named”: nobody", { stored: { contact: "" }, activity: { ...QUIET, isTested: true } }],
])("the test event: %s", (text, changes) => expect(report(changes).test).toContain(text));

it.each([
  ["200, a web page", "bad", { exchanges: [answer(200, { answerType: "text/html" })] }],
  ["sent, the answer cannot be read", "", { options: { ...TAG, contentType: "text/plain" } }],
  ["no answer", "bad", { exchanges: [answer(0)] }],
])("an answer that says nothing of a stored event is listed as such: %s", (note, kind, activity) =>
  expect(report({ activity }).lists[0]!.items).toEqual([[expect.stringMatching(/ signup$/), note, kind]]),
);

it("tells the answers of before a reload, and the wait that the service asked for", () => {
  const before = [{ at: performance.timeOrigin - 9_000, event: "kept", status: 429, words: "too many" }];
  const remembered = { answers: before, waitUntil: Date.now() + 9_000, contact: "" };
  const told = report({ stored: { pauseMs: 8_500 }, activity: { ...QUIET, before, remembered } });
  expect(told.lists[0]!.items[0]).toEqual([expect.stringContaining("kept, before the reload: too many"), "429", "bad"]);
  expect(told.lists[2]!.note).toBe("Next attempt: in 9 s, as the service asked.");
  expect(textOf(told, "shop", "https://shop.example/")).toMatch(
    /^shop on https:.*\n\n.*\n\[good\] In the page: <script>\n/,
  );
});

it.each<[text: string, changes: Changes]>([
  ["once there is something to send", {}],
  [
    "once somebody is named",
    { stored: { contact: "", events: [{ ...TEST, contact: "", visitUrl: "", failures: 0, isUndecided: false }] } },
  ],
  ["once the visitor agrees", { page: PENDING }],
  ["at once", { stored: { readyMs: 1 } }],
  ["none yet", { stored: { readyMs: 1 }, activity: QUIET }],
  ["in 2 s", { ...exchanges(answer(408)), stored: { pauseMs: 1_001 } }],
  ["in 296 s; a corrected page delivers", { ...exchanges(answer(401)), stored: { pauseMs: 295_001 } }],
  ["none, as things are", { page: { isOnline: false } }],
  ["none, as things are", { page: { global: "idle" } }],
])("the next attempt: %s", (text, changes) =>
  expect(report(changes).lists[2]!.note).toContain(`Next attempt: ${text}`),
);

it.each<[text: string, path: string, options?: object]>([
  ["", "/a?page=2#top"],
  ['the values of q, f%5Bx%5D; data-query="q f%5Bx%5D" keeps them', "/a?page=2&q=hat&f%5Bx%5D=a&gclid=Cj0K#q=b"],
  ['the values of q; data-query="plan q" keeps them', "/a?plan=team&q=hat", { query: ["plan"] }],
  ['ids in the path; data-paths="keep" keeps them', "/orders/12345?q=hat", { query: "all" }],
  ['the values of q; data-query="q" keeps them. And ids in', "/#/orders/12345?q=hat"],
  ["", "/orders/12345?q=hat", { query: "none", paths: "keep" }],
])("replaced in page views: %j", (text, path, options = {}) => {
  const { note } = report({
    page: { href: `https://shop.example${path}` },
    activity: { options: { ...TAG, ...options } },
  }).lists[1]!;
  if (text) expect(note).toContain(text);
  else expect(note).toBe("");
});
