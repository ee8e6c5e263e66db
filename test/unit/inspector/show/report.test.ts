/** What the inspector's report has beside findings; the panel itself is tested in a browser. */
import { expect, it } from "vitest";
import { reportOf } from "../../../../src/inspector/show/report.js";
import { all, answered, type Case, finding, PENDING, TAG } from "../say.js";

it.each([
  [answered(200), 3_001, "Working: the last event was stored 3 s ago (200)."],
  [answered(204), 150_000, "Working: the last event was stored 3 min ago (204)."],
  [answered(200), 7_200_000, "Working: the last event was stored 2 h ago (200)."],
])("a good answer proves that all is well, and says when that was: %#", (activity, now, text) =>
  expect(reportOf(...all(activity, { now })).findings).toEqual([finding("fine", text)]),
);

it.each([
  ["200, a web page", "bad", { isWebPage: true }],
  ["sent, the answer cannot be read", "", { options: { ...TAG, contentType: "text/plain" } }],
  ["no answer", "bad", answered(0, "pageview")],
])("an answer that says nothing of a stored event is listed as such: %s", (note, kind, activity) =>
  expect(reportOf(...all(activity)).lists[0]!.items).toEqual([[expect.stringMatching(/ pageview$/), note, kind]]),
);

it.each([
  ["Waiting: 0", "No event waits.", {}, {}],
  ["Waiting: 1", "In memory, until the page ends.", { isUnstored: true, inMemory: 1 }, {}],
  ["Waiting: 2", "In memory, until the visitor agrees.", { inMemory: 2 }, PENDING],
])("%s: %s", (title, empty, activity, snapshot) =>
  expect(reportOf(...all(activity, snapshot)).lists[2]).toEqual({ title, empty, items: [] }),
);

it.each<Case>([
  ["None yet."],
  ['pageviews is "off", so only a call of pageview()', {}, { tag: { ...TAG, pageviews: "off" } }],
  ["beforeSend, a function of this page, may drop them", { options: { ...TAG, beforeSend: () => null } }],
  ['counts only with pageviews "hash"', {}, { hasFragment: true }],
  ["None yet.", {}, { hasFragment: true, tag: { ...TAG, pageviews: "hash" } }],
])("no page view: %s", (text, ...page) => expect(reportOf(...all(...page)).lists[1]!.empty).toContain(text));
