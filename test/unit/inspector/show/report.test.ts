/** What the inspector's report has beside the steps; the panel itself is tested in a browser. */
import { expect, it } from "vitest";
import { reportOf } from "../../../../src/inspector/show/panel.js";
import { answer, type Changes, evidence, PENDING, QUIET, TAG, tag } from "../say.js";

/** When an answer came. */
const AT = Date.UTC(2027, 0, 2, 12);
const WAITS = { event: "e", contact: "", visitUrl: "/a", params: {}, failures: 2, isUndecided: false, waitedMs: 1 };
const report = (changes: Changes = {}) => reportOf(evidence(changes));
const exchanges = (...given: ReturnType<typeof answer>[]) => ({ activity: { exchanges: given } });

it.each<[headline: string, state: string, changes: Changes]>([
  [
    `Working: “signup” was stored at ${new Date(AT).toLocaleTimeString()} (204).`,
    "good",
    exchanges(answer(204, { at: AT })),
  ],
  ["It stops at “Answered”.", "bad", exchanges(answer(401))],
  // Two that are wrong are both said, and first the one that stops it.
  [
    "It stops at “Answered”. Not right either: “Calls”.",
    "bad",
    { ...exchanges(answer(401)), page: { broken: [["<button onclick>", "missing )"]] } },
  ],
  [
    "Sending has failed (2 ×). Why is not known yet.",
    "unknown",
    { activity: QUIET, stored: { events: [WAITS], eventCount: 1 } },
  ],
  ["an event waits since 2 s", "unknown", { activity: QUIET, stored: { eventCount: 1, readyMs: 1_500 } }],
  [
    "An event was accepted, but not all is right at “Stored at the service”.",
    "bad",
    exchanges(answer(200, { words: '{"ok":false}' })),
  ],
  [
    "An event was accepted, but not all is right at “Options”.",
    "bad",
    { page: { tags: [tag({ ...TAG, stamp: "x" })] } },
  ],
  ["Nothing is wrong so far. It waits at “Allowed”.", "waits", { page: PENDING, activity: QUIET }],
  ["Nothing wrong is to be seen, and nothing was sent yet.", "unknown", { activity: { ...QUIET, quietMs: 0 } }],
  // Nobody has heard what the service said.
  [
    "Nothing is wrong so far: an event was accepted before this panel was opened.",
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

it("tells when the next attempt comes", () =>
  expect(report({ stored: { pauseMs: 8_500 } }).lists[2]!.note).toBe("Next attempt: in 9 s."));

it("what waits is told with what was tried", () => {
  const { lists } = report({ stored: { events: [{ ...WAITS, isUndecided: true }], eventCount: 1_200 } });
  expect(lists[2]).toMatchObject({ title: "Waiting: 1,200", note: " The first 1 are:" });
  const text = "of nobody yet, failed 2 ×, most likely stored, as a page was left";
  expect(lists[2]!.lines).toMatchObject([{ title: "e", text, note: "/a" }]);
});
