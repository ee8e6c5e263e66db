import { describe, expect, it } from "vitest";
import { readConfig } from "../src/config.js";
import type { Config, Problem } from "../src/types.js";

const read = (config: Partial<Record<keyof Config, unknown>> = {}) => {
  const problems: Problem[] = [];
  const settings = readConfig({
    apiToken: "token",
    trackUrl: "https://track.example",
    onError: (problem: Problem) => problems.push(problem),
    ...config,
  } as Config);
  return { ...settings, problems };
};

describe("the URL of all events", () => {
  it.each([
    ["https://track.example", "https://track.example/v1/track/event?api_token=token"],
    ["https://track.example/", "https://track.example/v1/track/event?api_token=token"],
    ["https://track.example/base//", "https://track.example/base/v1/track/event?api_token=token"],
    ["/proxy", "/proxy/v1/track/event?api_token=token"],
    ["/", "/v1/track/event?api_token=token"],
  ])("is built from %s", (trackUrl, url) => expect(read({ trackUrl })).toMatchObject({ url, problems: [] }));
  it("holds the token escaped", () =>
    expect(read({ apiToken: "a&b=c d/é" }).url.split("api_token=")[1]).toBe("a%26b%3Dc%20d%2F%C3%A9"));
});

it("has the documented defaults", () =>
  expect(read()).toMatchObject({ name: "tracklet", bounds: [1_000, 1_048_576, 604_800_000], problems: [] }));

it("takes the bounds", () => expect(read({ maxEvents: 5, maxBytes: 6, maxAgeMs: 7 }).bounds).toEqual([5, 6, 7]));

describe("what is wrong", () => {
  it.each([
    ["apiToken", undefined],
    ["apiToken", ""],
    ["apiToken", 5],
    ["trackUrl", undefined],
    ["trackUrl", null],
    ["trackUrl", {}],
  ])("%s: %j is reported by name, without its value", (name, value) => {
    const { problems } = read({ [name]: value });
    expect(problems.length).toBe(1);
    expect(problems[0]!.code).toBe("input");
    expect(problems[0]!.detail).toContain(name);
  });
  it("does no harm where the page's handler throws or is none", () => {
    const onError = () => {
      throw new Error("the page's own");
    };
    expect(() => read({ apiToken: "", onError })).not.toThrow();
    expect(() => read({ apiToken: "", onError: undefined })).not.toThrow();
    expect(() => read({ apiToken: "", onError: "text" })).not.toThrow();
  });
});

it("reports an event as an object", () => {
  const { report, problems } = read();
  report("evicted", "maxEvents", '{"event_uid":"a","params":{"b":1}}');
  expect(problems).toEqual([{ code: "evicted", detail: "maxEvents", event: { event_uid: "a", params: { b: 1 } } }]);
});
