import fc from "fast-check";
import { expect, it } from "vitest";
import { decodeText, encodeText, findMember } from "../../../src/service/base/exact-text.js";

const depthOf = (value: unknown): number =>
  typeof value === "object" && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;

it("finds the very text of a member, and how deep it is nested, in any object", () => {
  const document = fc.dictionary(fc.oneof(fc.string({ unit: "binary" }), fc.constant("params")), fc.jsonValue());
  fc.assert(
    fc.property(document, fc.jsonValue(), fc.constantFrom(undefined, 1, "\t"), (others, params, indent) => {
      const text = JSON.stringify({ ...others, params }, null, indent);
      const found = findMember(text, "params")!;
      expect(JSON.parse(found.text)).toEqual(JSON.parse(JSON.stringify(params)));
      expect(found.depth).toBe(depthOf(params));
      expect(text).toContain(found.text);
    }),
    { seed: 1 },
  );
});

it("takes the last of several, as JSON.parse does, and knows an escaped key", () => {
  expect(findMember(String.raw`{"params":1,"x":{"params":2},"p\u0061rams" : [3] }`, "params")).toEqual({
    text: "[3]",
    depth: 1,
  });
});

it.each(["{}", ' { "x" : {"params":1} } ', String.raw`{"a":"\",\"params\":1"}`])("finds nothing in %s", (text) => {
  expect(findMember(text, "params")).toBeUndefined();
});

it("gives back any text of UTF-16 units, in a form that a database can hold", () => {
  const units = fc.array(fc.nat(0xffff)).map((codes) => String.fromCharCode(...codes));
  fc.assert(
    fc.property(units, (text) => {
      const encoded = encodeText(text);
      expect(decodeText(encoded)).toBe(text);
      expect(encoded).not.toContain("\0");
      expect(Buffer.from(encoded, "utf8").toString("utf8")).toBe(encoded);
    }),
    { seed: 1 },
  );
  expect(encodeText("contact-001 ä")).toBe("contact-001 ä");
});
