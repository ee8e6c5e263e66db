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
  ['counts only with pageviews "hash"', {}, { href: "https://shop.example/#a" }],
  ["None yet.", {}, { href: "https://shop.example/#a", tag: { ...TAG, pageviews: "hash" } }],
])("no page view: %s", (text, ...page) => expect(reportOf(...all(...page)).lists[1]!.empty).toContain(text));

it.each<[text: string, path: string, options?: object]>([
  ["nothing", "/a?page=2#top"],
  ['the values of q, f%5Bx%5D; data-query="q f%5Bx%5D" keeps them', "/a?page=2&q=hat&f%5Bx%5D=a&gclid=Cj0K#q=b"],
  ['the values of q; data-query="plan q" keeps them', "/a?plan=team&q=hat", { query: ["plan"] }],
  ['ids in the path; data-paths="keep" keeps them', "/orders/12345?q=hat", { query: "all" }],
  ['the values of q; data-query="q" keeps them. And ids in', "/#/orders/12345?q=hat"],
  ["nothing", "/orders/12345?q=hat", { query: "none", paths: "keep" }],
])("replaced in page views: %s", (text, path, options = {}) => {
  const report = reportOf(...all({ options: { ...TAG, ...options } }, { href: `https://shop.example${path}` }));
  expect(report.facts.at(-1)).toEqual(["Replaced in page views", expect.stringContaining(text)]);
});
