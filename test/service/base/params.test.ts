import fc from "fast-check";
import { expect, it } from "vitest";
import { cutStamp, stampKey, viewOf, wholeParams } from "../../../src/service/base/params.js";

const [ID, SOURCE] = ["0b6ee5a9-9c1c-4f3e-8a55-3a1f0c9d7e21", "5a2b0c1d-0000-4000-a000-000000000000"];
const TIME = 1_790_000_000_000;
const end = `"event_id":"${ID}","occurred_at":${TIME},"event_source":"${SOURCE}","event_seq":7}`;
const row = (params: string, occurredAt: number | undefined, stamp = ID) => {
  const cut = cutStamp(params, { stamp, occurredAt });
  return { params, source: null, number: null, ...cut, stamp, occurred_at: occurredAt ?? null };
};

it("takes the stamp off the end of params, and gives them back letter by letter", () => {
  const value = fc.jsonValue({ maxDepth: 2 }).map((one) => JSON.stringify(one));
  const members = fc.array(fc.tuple(fc.oneof(fc.string(), fc.constant("event_id")), value));
  fc.assert(
    fc.property(members, fc.constantFrom(TIME, undefined), (before, occurredAt) => {
      const sent = `{${[...before.map(([name, text]) => `${JSON.stringify(name)}: ${text}`), end].join(",")}`;
      const stored = row(sent, occurredAt);
      expect(stored).toMatchObject({ source: SOURCE, number: 7 });
      expect(stored.params.length).toBeLessThan(sent.length - 130 + (occurredAt === undefined ? 30 : 0));
      expect(JSON.parse(stored.params)).toBeTypeOf("object");
      expect(wholeParams(stored)).toBe(sent);
    }),
  );
});

it.each([
  ["of another event", `{${end}`, "0b6ee5a9-9c1c-4f3e-8a55-3a1f0c9d7e22"],
  ["of an object inside", `{"a":{${end}}`, ID],
  ["inside a text", `{"a":${JSON.stringify(`,${end}`)}}`, ID],
  ["in another order", `{"event_seq":7,${end.replace(',"event_seq":7', "")}`, ID],
])("leaves what is a stamp %s", (_what, params, stamp) => {
  expect(row(params, TIME, stamp)).toMatchObject({ params, source: null });
  expect(wholeParams(row(params, TIME, stamp))).toBe(params);
});

it("lets no UUID of a page stand for the text of a server", () => {
  expect(stampKey(ID)).toBe(ID);
  expect(stampKey("order-1")).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-/);
  expect(stampKey(stampKey("order-1"))).not.toBe(stampKey("order-1"));
});

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
