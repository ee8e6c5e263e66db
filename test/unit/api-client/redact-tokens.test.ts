import fc from "fast-check";
import { expect, it } from "vitest";
import { redactTokens } from "../../../src/api-client/request.js";
import { tooSlow } from "../../support/linear.js";

it("finds a token however its characters are percent-encoded", () => {
  const character = fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code));
  const written = fc.record({ character, times: fc.integer({ min: 0, max: 3 }), isLower: fc.boolean() });
  const write = ({ character, times, isLower }: { character: string; times: number; isLower: boolean }): string => {
    const hex = character.charCodeAt(0).toString(16);
    return times ? `%${"25".repeat(times - 1)}${isLower ? hex : hex.toUpperCase()}` : character;
  };
  fc.assert(
    fc.property(fc.array(written, { minLength: 8, maxLength: 40 }), (characters) => {
      const token = characters.map(({ character }) => character).join("");
      expect(redactTokens(`<< ${characters.map(write).join("")} >>`, [token])).toBe("<< *** >>");
    }),
    { seed: 20_250_101 },
  );
});

it("takes time in proportion to the text, also where much of it looks like a token", () => {
  const token = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab";
  const slow = ["a", "%25", "%2561"].flatMap((part) => tooSlow((text) => redactTokens(text, [token]), part, 20_000));
  expect(slow).toEqual([]);
});
