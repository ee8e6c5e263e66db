import { expect, it } from "vitest";
import { viewOf } from "../../../src/service/base/params.js";

it.each([
  ["https://shop.example/a/b?x=1#top", undefined, "shop.example/a/b", undefined],
  ["https://ann:secret@Shop.example:8443", "https://shop.example:8443/a", "shop.example:8443/", undefined],
  [
    "https://shop.example/app?x=1#/settings?tab=2",
    "https://news.example/",
    "shop.example/app#/settings",
    "news.example",
  ],
  ["/a?x", "search.example/q?a", "/a", "search.example"],
  ["a", "", "/a", undefined],
  [7, { host: "x" }, undefined, undefined],
  [
    `https://shop.example/${"a".repeat(600)}`,
    `https://${"b".repeat(300)}/`,
    `shop.example/${"a".repeat(499)}`,
    "b".repeat(255),
  ],
])("reads the page of %s, and who led to it", (visit_url, referrer, page, referrerHost) => {
  expect(viewOf("pageview", { visit_url, referrer })).toEqual({ page, referrerHost });
  expect(viewOf("signup", { visit_url, referrer })).toEqual({ page: undefined, referrerHost: undefined });
});
