import { describe, expect, it, vi } from "vitest";
import { type Named, readConfig } from "../../../src/browser/config.js";
import type { Config, Problem } from "../../../src/types.js";

const read = (config: Partial<Record<keyof Config, unknown>> = {}) => {
  const problems: Problem[] = [];
  const settings = readConfig({
    name: "tracklet",
    apiToken: "token",
    trackUrl: "https://track.example",
    onError: (problem: Problem) => problems.push(problem),
    ...config,
  } as Named);
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
  it.each([
    ["https://track.example", "/e/1", "https://track.example/e/1?api_token=token"],
    ["https://track.example/", "e", "https://track.example/e?api_token=token"],
    ["/proxy/", "//e", "/proxy/e?api_token=token"],
    ["/", "/e", "/e?api_token=token"],
    ["/", null, "/v1/track/event?api_token=token"],
    ["", "/e", ""],
  ])("of %j has the path %j where that is renamed", (trackUrl, eventPath, url) =>
    expect(read({ trackUrl, eventPath }).url).toBe(url),
  );
  it("holds the token escaped", () =>
    expect(read({ apiToken: "a&b=c d/é" }).url.split("api_token=")[1]).toBe("a%26b%3Dc%20d%2F%C3%A9"));
});

it("has the documented defaults", () =>
  expect(read()).toMatchObject({ bounds: [1_000, 1_048_576, 604_800_000], problems: [] }));

it("takes the bounds", () => expect(read({ maxEvents: 5, maxBytes: 6, maxAgeMs: 7 }).bounds).toEqual([5, 6, 7]));

describe("the texts of attributes", () => {
  it.each([
    ["", true],
    ["true", true],
    [true, true],
    ["false", false],
    [false, false],
    ["no", false],
    [undefined, false],
    [null, false],
  ])("%j for a switch is %j", (given, stamp) => expect(read({ stamp: given }).stamp).toBe(stamp));
  it("are numbers where numbers are meant", () =>
    expect(read({ maxEvents: "50", maxBytes: "1e6", maxAgeMs: " 7 " })).toMatchObject({
      bounds: [50, 1_000_000, 7],
      problems: [],
    }));
  it.each(["", "many", "-1", "0", 0, Number.NaN, {}, []])(
    "that are no numbers, such as %j, are reported by name, and the default holds",
    (maxEvents) => {
      const { bounds, problems } = read({ maxEvents });
      expect([bounds[0], problems]).toEqual([1_000, [{ code: "input", detail: "maxEvents", event: undefined }]]);
    },
  );
});

describe("whoever listens", () => {
  it("is told of decisions and of problems, one at a time, and may throw", () => {
    const { listen, log, report } = read();
    const lines: unknown[] = [];
    listen(() => lines.push("never"));
    listen((...line) => {
      lines.push(line);
      throw new Error("the page's own");
    });
    log("queued", "{}");
    report("paused", "status 401");
    expect(lines).toEqual([
      ["queued", "{}"],
      ["paused", "status 401"],
    ]);
  });
  it.each([true, "", "true"])("with debug: %j is the console, a line each", (debug) => {
    const print = vi.spyOn(console, "debug").mockImplementation(() => {});
    read({ debug, name: "mine", maxEvents: "x" }).log(200, "{}");
    expect(print.mock.calls).toEqual([
      ["mine", "input", "maxEvents"],
      ["mine", 200, "{}"],
    ]);
    print.mockRestore();
  });
  it("is nobody otherwise", () => {
    const print = vi.spyOn(console, "debug").mockImplementation(() => {});
    read({ debug: "false" }).log("queued", "{}");
    expect(print).not.toHaveBeenCalled();
    print.mockRestore();
  });
});

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
  it.each([
    ["nothing", {}, 0],
    ["the token", { apiToken: "" }, 1],
    ["the address", { trackUrl: undefined }, 1],
    ["both", { apiToken: undefined, trackUrl: undefined }, 1],
  ])("warns unasked where nothing could ever be sent: without %s", (_, config, count) => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
    read(config);
    expect(warn.mock.calls).toEqual(Array(count).fill(["tracklet", "no apiToken, trackUrl"]));
    warn.mockRestore();
  });
  it("does not ask a handler that causes problems about those", () => {
    let told = 0;
    const { report } = read({
      onError: () => {
        if (++told < 100) report("input", "another");
        throw new Error("the page's own");
      },
    });
    for (let problem = 1; problem <= 3; problem++) {
      report("input", "one");
      expect(told).toBe(problem);
    }
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
