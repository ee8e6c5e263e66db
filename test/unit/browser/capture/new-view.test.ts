import { describe, expect, it } from "vitest";
import { isNewView } from "../../../../src/browser/capture/pageviews.js";

const SITE = "https://shop.test";

describe("isNewView", () => {
  it.each([
    // Navigation, URL, URL of the last view, new view? The same with fragments counted?
    ["load", "/a", "/a", true, true],
    ["load", "/a", "", true, true],
    ["push", "/b", "/a", true, true],
    ["push", "/a", "/a", false, false],
    ["push", "/a?x=1", "/a", true, true],
    ["push", "/a?x=2", "/a?x=1", true, true],
    ["push", "/a", "/a?x=1", true, true],
    ["push", "/a?", "/a", true, true],
    ["push", "/a/", "/a", true, true],
    ["push", "/A", "/a", true, true],
    ["push", "/a#top", "/a", false, true],
    ["push", "/a", "/a#top", false, true],
    ["push", "/a#end", "/a#top", false, true],
    ["push", "/a#", "/a", false, false],
    // Routers in fragments replace the address that they are entered by.
    ["replace", "/a#/", "/a", false, false],
    ["replace", "/a#!/", "/a", false, false],
    ["replace", "/a#!/b", "/a#!/", false, true],
    ["replace", "/a#/?x=1", "/a", false, false],
    ["replace", "/a?x=1#/", "/a?x=1", false, false],
    ["push", "/a#/b", "/a#/", false, true],
    ["push", "/a#?x=1", "/a", false, true],
    ["push", "/a#/b?x=1", "/a#/b", false, true],
    ["push", "/a?x=1#top", "/a#top", true, true],
    ["push", "/b#top", "/a#top", true, true],
    ["traverse", "/b", "/a", true, true],
    ["traverse", "/a", "/a", false, false],
    ["traverse", "/a?x=1", "/a", true, true],
    ["traverse", "/a#top", "/a", false, true],
    ["replace", "/b", "/a", true, true],
    ["replace", "/a", "/a", false, false],
    ["replace", "/a?x=1", "/a", false, false],
    ["replace", "/a?x=2", "/a?x=1", false, false],
    ["replace", "/a", "/a?x=1", false, false],
    ["replace", "/b?x=1", "/a?x=1", true, true],
    ["replace", "/a#top", "/a", false, true],
    ["replace", "/a?x=1#top", "/a#top", false, false],
    ["replace", "/a#/b", "/a#/a", false, true],
    ["replace", "/a#/b?x=1", "/a#/b", false, false],
    ["replace", "/a#/b?x=2", "/a?y=1#/b?x=1", false, false],
    ["replace", "/a#/c?x=1", "/a#/b?x=1", false, true],
    ["replace", "/b#/c?x=1", "/a#/c?x=1", true, true],
  ] as const)("%s of %s after %s: %s, with fragments %s", (navigation, here, last, isNew, isNewWithHash) => {
    const url = SITE + here;
    const before = last && SITE + last;
    expect(isNewView(navigation, url, before, false), "fragments ignored").toBe(isNew);
    expect(isNewView(navigation, url, before, true), "fragments counted").toBe(isNewWithHash);
  });
});
