import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { redact } from "../../../../src/browser/capture/redact.js";
import { INNOCENT, SECRET, WITH_SECRETS } from "../../../support/secret-urls.js";

/** As a browser has it in `location.href`. */
const normalize = (url: string): string => new URL(url).href;

it("takes the secret out of whatever holds one, and leaves a URL of the page", () => {
  const wrong = WITH_SECRETS.filter((url) => {
    const redacted = redact(normalize(url));
    return decodeAll(redacted).includes(SECRET) || new URL(redacted).host !== new URL(url).host;
  });
  expect(wrong).toEqual([]);
});

it("leaves untouched what holds none", () => {
  const wrong = INNOCENT.map(normalize).filter((url) => redact(url) !== url);
  expect(wrong).toEqual([]);
});

it("is done with a long link before anybody notices", () => {
  for (const text of [
    "[]".repeat(5_000),
    "[".repeat(10_000),
    "[a]".repeat(3_000),
    "token".repeat(1_000),
    "/".repeat(10_000),
  ])
    for (const url of [`https://shop.test/?key${text}`, `https://shop.test/?${text}`, `https://shop.test/#${text}`])
      expect(redact(url).length).toBeLessThan(url.length + 20);
});

const decodeAll = (text: string): string => {
  const decoded = unescape(text);
  return decoded === text ? text : decodeAll(decoded);
};

it("keeps the rest", () => {
  const cases = [
    ["https://shop.test/a?token=x", "https://shop.test/a?token=REDACTED"],
    ["https://shop.test/a?page=2&token=x&sort=price", "https://shop.test/a?page=2&token=REDACTED&sort=price"],
    ["https://shop.test/a?token=x#top", "https://shop.test/a?token=REDACTED#top"],
    ["https://shop.test/a?Access_Token=x", "https://shop.test/a?Access_Token=REDACTED"],
    ["https://shop.test/a?user[password]=x&b=1", "https://shop.test/a?user[password]=REDACTED&b=1"],
    ["https://shop.test/a?token=x&token=y", "https://shop.test/a?token=REDACTED&token=REDACTED"],
    ["https://shop.test/a?token=", "https://shop.test/a?token=REDACTED"],
    [
      "https://shop.test/a?q=shoes#access_token=x&scope=read",
      "https://shop.test/a?q=shoes#access_token=REDACTED&scope=read",
    ],
    ["https://shop.test/a#/route?token=x&page=2", "https://shop.test/a#/route?token=REDACTED&page=2"],
    ["https://ann:x@shop.test:8443/a?b=1", "https://shop.test:8443/a?b=1"],
    ["https://ann@shop.test/a", "https://shop.test/a"],
    ["https://shop.test/a;jsessionid=x", "https://shop.test/a;jsessionid=REDACTED"],
    ["https://shop.test/@ann/posts?b=1", "https://shop.test/@ann/posts?b=1"],
  ] as const;
  expect(cases.map(([url]) => redact(url))).toEqual(cases.map(([, redacted]) => redacted));
});

const part = fc.stringMatching(/^[a-zA-Z0-9%;=&?#/@:.[\]_+-]{0,12}$/);

describe("of any URL", () => {
  const urls = fc
    .tuple(part, part, part)
    .map(([path, query, fragment]) => `https://shop.test/${path}?${query}#${fragment}`);

  it("redacts once what there is to redact", () => {
    fc.assert(
      fc.property(urls, (url) => {
        expect(redact(redact(url))).toBe(redact(url));
      }),
    );
  });
  it("takes out a token, whatever stands around it", () => {
    fc.assert(
      fc.property(urls, fc.constantFrom("&", "?", "#"), part, (url, separator, behind) => {
        const value = `${SECRET}${behind.replace(/[&#].*/, "")}`;
        expect(redact(`${url}${separator}token=${value}`)).not.toContain(SECRET);
        expect(redact(`${url}${separator}token=${behind.replace(/[&#].*/, "")}${SECRET}`)).not.toContain(SECRET);
      }),
    );
  });
});
