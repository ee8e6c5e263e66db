/** What the inspector's report has beside findings; the panel itself is tested in a browser. */
import { expect, it } from "vitest";
import { reportOf } from "../../../../src/inspector/show/report.js";
import { all, answered, type Case, finding, TAG } from "../say.js";

it.each([
  [answered(200), 3_001, "Working: the last event was stored 3 s ago (200)."],
  [answered(204), 150_000, "Working: the last event was stored 3 min ago (204)."],
  [answered(200), 7_200_000, "Working: the last event was stored 2 h ago (200)."],
  [{ options: { ...TAG, contentType: "text/plain" } }, 3_001, "The last event was sent 3 s ago. With text/plain"],
])("a good answer proves that all is well, and says when that was: %#", (activity, now, text) =>
  expect(reportOf(...all(activity, { now })).findings).toEqual([finding("fine", text)]),
);

it("an answer 200 that is a web page is listed as a bad one", () =>
  expect(reportOf(...all({ isWebPage: true })).lists[0]!.items).toEqual([
    [expect.stringMatching(/ pageview$/), "200, a web page", "bad"],
  ]));

it.each<Case>([
  ["None yet."],
  ['pageviews is "off", so only a call of pageview()', {}, { tag: { ...TAG, pageviews: "off" } }],
  ["visitUrl, a function of this page, may drop them", { options: { ...TAG, visitUrl: () => null } }],
  ['counts only with pageviews "hash"', {}, { hasFragment: true }],
  ["None yet.", {}, { hasFragment: true, tag: { ...TAG, pageviews: "hash" } }],
])("no page view: %s", (text, ...page) => expect(reportOf(...all(...page)).lists[1]!.empty).toContain(text));
