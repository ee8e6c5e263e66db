/** What the inspector's report has beside the steps; the panel itself is tested in a browser. */
import { expect, it } from "vitest";
import { reportOf } from "../../../../src/inspector/show/report.js";
import { answer, type Changes, evidence, PENDING, QUIET, TAG, tag } from "../say.js";

/** When an answer came. */
const AT = Date.UTC(2027, 0, 2, 12);
const report = (changes: Changes = {}) => reportOf(evidence(changes));
const exchanges = (...given: ReturnType<typeof answer>[]) => ({ activity: { exchanges: given } });

it.each<[headline: string, state: string, changes: Changes]>([
  [
    `Working: “signup” was stored at ${new Date(AT).toLocaleTimeString()} (204).`,
    "good",
    exchanges(answer(204, { at: AT })),
  ],
  ["It stops at “Answered”.", "bad", exchanges(answer(401))],
  ["It stops at “Stored at the service”.", "bad", exchanges(answer(200, { words: '{"ok":false}' }))],
  ["An event was stored, but not all is right at “Options”.", "bad", { page: { tags: [tag({ ...TAG, stamp: "x" })] } }],
  ["Nothing is wrong so far. It waits at “Allowed”.", "waits", { page: PENDING, activity: QUIET }],
  ["Nothing wrong is to be seen, and nothing was sent yet.", "unknown", { activity: { ...QUIET, quietMs: 0 } }],
  // Nobody has heard what the service said.
  [
    "An answer was good, and what it said was not heard",
    "unknown",
    exchanges(answer(200, { isHeard: false, words: "" })),
  ],
])("in a sentence: %s", (headline, state, changes) =>
  expect(report(changes)).toMatchObject({ headline: expect.stringContaining(headline), state }),
);

it.each<[note: string, state: string, changes: Changes]>([
  ["200 Shop", "bad", exchanges(answer(200, { answerType: "text/html", words: "Shop" }))],
  ["the answer cannot be read", "unknown", { activity: { options: { ...TAG, contentType: "text/plain" } } }],
  ["no answer", "bad", exchanges(answer(0))],
])("an answer that says nothing of a stored event is listed as such: %s", (note, state, changes) =>
  expect(report(changes).lists[1]!.lines).toMatchObject([{ title: "signup", note, state }]),
);

it("tells the answers of before a reload, and the wait that the service asked for", () => {
  const before = (at: number) => answer(429, { at, words: "too many", retryAfter: "9000" });
  const told = (at: number) =>
    report({ stored: { pauseMs: 8_500 }, activity: { ...QUIET, answers: [before(at)] } }).lists;
  const [, answers, waiting] = told(performance.timeOrigin - 9_000);
  expect(answers!.lines).toMatchObject([
    { title: "signup", text: expect.stringContaining(", before the reload"), note: "429 too many" },
  ]);
  expect(waiting!.note).toBe("Next attempt: in 9 s, as the service asked.");
  expect(told(Date.now() - 9_001_000)[2]!.note).toBe("Next attempt: in 9 s.");
});

it("what waits is told with what was tried", () => {
  const event = { event: "e", contact: "", visitUrl: "/a", failures: 2, isUndecided: true, waitedMs: 1 };
  const { lists } = report({ stored: { events: [event], eventCount: 1_200 } });
  expect(lists[2]).toMatchObject({ title: "Waiting: 1,200", note: " The first 1 are:" });
  const text = "of nobody yet, failed 2 ×, most likely stored, as a page was left";
  expect(lists[2]!.lines).toMatchObject([{ title: "e", text, note: "/a" }]);
});

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
