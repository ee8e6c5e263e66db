import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { redact } from "../../../../src/browser/capture/redact.js";
import { LISTS, type SecretUrl, tells, UNSEEN_COUNTS } from "../../../support/urls.js";

/** As a browser has it in `location.href`. */
const normalize = (url: string): string => new URL(url).href;

const secretUrls = Object.values(LISTS)
  .flatMap(({ secret }) => secret)
  .map((of) => ({ ...of, redacted: redact(normalize(of.url)) }));

/** The URLs of which the rule does not hold, each by name, so that a change shows which. */
const counts = ({ secret, harmless }: { secret: readonly SecretUrl[]; harmless: readonly string[] }): string[] => {
  const kept = secret.filter((of) => tells(redact(normalize(of.url)), of));
  const changed = harmless.filter((url) => redact(normalize(url)) !== normalize(url));
  return [
    `${secret.length - kept.length} of ${secret.length}`,
    `${harmless.length - changed.length} of ${harmless.length}`,
  ];
};

describe("the lists of URLs", () => {
  it("lose their secrets and little else", () => {
    const { tuned, sites, seen, unseen } = LISTS;
    expect([tuned, sites, seen, unseen].map(counts)).toEqual([
      ["383 of 440", "429 of 445"],
      ["81 of 86", "105 of 113"],
      ["141 of 212", "239 of 246"],
      UNSEEN_COUNTS,
    ]);
  });
  it("stay URLs of the same host", () => {
    const moved = secretUrls.filter(({ url, redacted }) => new URL(redacted).host !== new URL(url).host);
    expect(moved).toEqual([]);
  });
});

it("keeps names, and what stands beside a secret", () => {
  const redacted = {
    "https://shop.test/a?page=2&token=x1&sort=price#top": "https://shop.test/a?page=2&token=REDACTED&sort=price#top",
    "https://shop.test/a?user[password]=x&token=y1": "https://shop.test/a?user[password]=REDACTED&token=REDACTED",
    "https://shop.test/a#/route?token=x1&page=2": "https://shop.test/a#/route?token=REDACTED&page=2",
    "https://shop.test/a;jsessionid=x1y?b=1": "https://shop.test/a;jsessionid=REDACTED?b=1",
    "https://shop.test/reset/8f14e45fceea167a?b=1": "https://shop.test/reset/REDACTED?b=1",
    "https://shop.test/a?next=https://b.test/?token=x1&b=1":
      "https://shop.test/a?next=https://b.test/?token=REDACTED&b=1",
    "https://shop.test/a?next=%2Fb%3Ftoken%3Dx1%26c%3D1&b=1": "https://shop.test/a?next=%2Fb%3Ftoken%3DREDACTED&b=1",
    "https://shop.test/a?email=ann%40mail.test&b=%C3%A9": "https://shop.test/a?email=REDACTED&b=%C3%A9",
    "https://shop.test/a?lot=8f14e45fceea167a&gclid=8f14e45fceea167a":
      "https://shop.test/a?lot=REDACTED&gclid=8f14e45fceea167a",
    "https://shop.test/lots/8f14e45fceea167a?lot=0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0":
      "https://shop.test/lots/8f14e45fceea167a?lot=0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0",
    "https://ann:x@shop.test:8443/a?b=1": "https://shop.test:8443/a?b=1",
  };
  expect(Object.fromEntries(Object.keys(redacted).map((url) => [url, redact(url)]))).toEqual(redacted);
});

it("keeps the parameters that `query` names, if they hold no secret, and no other", () => {
  const shown = "https://shop.test/reset/8f14e45fceea167a?page=2&token=eth&q=hat&utm_source=ann@mail.test&=x#top";
  const names = ["page", "utm_source"];
  const hidden = "https://shop.test/reset/REDACTED?page=2&REDACTED&REDACTED&utm_source=REDACTED&REDACTED#REDACTED";
  for (const query of [names, names.join(" "), " page,  utm_source "]) expect(redact(shown, query)).toBe(hidden);
  expect(redact("https://ann:x@shop.test/?page=2?b=1#/a?page=3", "page")).toBe(
    "https://shop.test/?page=2?REDACTED#REDACTED?page=3",
  );
  expect(redact("https://shop.test/?page=2", "")).toBe("https://shop.test/?REDACTED");
});

it("cuts a URL after 8,192 characters, when its secrets are gone", () => {
  const long = `https://shop.test/a?token=${"x".repeat(100_000)}&page=2`;
  expect(redact(long)).toBe("https://shop.test/a?token=REDACTED&page=2");
  const across = `https://shop.test/a?b=${"b".repeat(8_160)}&email=ann@mail.test`;
  expect(redact(across)).toBe(`${across.slice(0, 8_189)}RED`);
});

/** A name, and the longest value that is looked at to its end. */
const RUNS = [`key${"=".repeat(63)}a${"1".repeat(2_432)}`, `code=${"a1".repeat(30)}`, `x=${"a".repeat(4_998)}`];

/** What a hostile link could repeat. */
const REPEATED =
  'jwt token token= passw pass5b sessid sidcode=/ saml cred d_confirmation reset/ code=1& a@ a%40 ://a %25 ; key[][][] eyJ a a& a=1& a=a1- x=1111111111111 a1 {"a":1, #a phone=1 e=1 =1- =111-11- %2B /a/1a guest/a1 1+ (a(';

it("takes time that grows no faster than the URL, whatever it holds", () => {
  /** Processor time, which other processes do not lengthen, in microseconds. */
  const cost = (text: string, length: number, times: number): number => {
    const url = `https://shop.test/?${text.repeat(length / text.length)}`;
    const before = process.cpuUsage();
    for (let i = 0; i < times; i++) redact(url);
    const { user, system } = process.cpuUsage(before);
    return user + system;
  };
  const slow = [...REPEATED.split(" "), ...RUNS].flatMap((text) => {
    const rounds = Array.from({ length: 7 }, () => ({ short: cost(text, 10_000, 10), long: cost(text, 100_000, 1) }));
    // The fastest round is the one that nothing else has disturbed.
    const long = Math.min(...rounds.map((round) => round.long));
    const short = Math.min(...rounds.map((round) => round.short));
    // Time that grows with the square is ten times as long. What takes less than eight milliseconds is too short to be compared.
    return long > Math.max(8_000, 3 * short) ? [`${text}: 100 KB take ${long} µs, ten times 10 KB ${short} µs`] : [];
  });
  expect(slow).toEqual([]);
});

const part = fc.stringMatching(/^[a-zA-Z0-9%;=&?#/@:.[\]_+-]{0,12}$/);

it("takes out a token, whatever stands around it", () => {
  const urls = fc
    .tuple(part, part, part)
    .map(([path, query, fragment]) => `https://shop.test/${path}?${query}#${fragment}`);
  fc.assert(
    fc.property(urls, fc.constantFrom("&", "?", "#"), part, part, (url, separator, before, behind) => {
      const token = `${before}s3cr3t${behind}`.replace(/[?&#]/g, "");
      expect(redact(`${url}${separator}token=${token}`)).not.toContain("s3cr3t");
    }),
    { seed: 1 },
  );
});
