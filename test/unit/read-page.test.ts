// @vitest-environment happy-dom
import { expect, it } from "vitest";
import { createReader, TrackletError } from "../../src/read.js";

const config = { baseUrl: "https://api.example.com", accessToken: "token" };

it("does not work in a page, where anyone could read the token, unless that is allowed", async () => {
  expect(typeof document).toBe("object");
  expect(() => createReader(config)).toThrow(TrackletError);
  expect(() => createReader(config)).toThrow(/^accessToken in a page needs allowBrowser: true$/);
  expect(() => createReader({ ...config, allowBrowser: false })).toThrow(TrackletError);

  const reader = createReader({ ...config, allowBrowser: true, fetch: async () => new Response('{"id":"1"}') });
  await expect(reader.accounts.get("1")).resolves.toEqual({ id: "1" });
});
