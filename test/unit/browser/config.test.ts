import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Config } from "../../../src/types.js";
import { inWorld } from "../../simulation/world.js";
import { fresh } from "./fresh.js";

beforeEach(() => {
  vi.stubGlobal("location", new URL("https://site.example/a/b"));
  vi.stubGlobal("origin", "https://site.example");
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

const load = (config: Partial<Config>) => fresh(config, () => import("../../../src/browser/config.js"));

it("builds the URL of all events from address, path and token", async () => {
  const site = "https://site.example";
  const cases: [Partial<Config>, string | undefined][] = [
    [{}, "https://track.example/v1/track/event?api_token=token"],
    [{ trackUrl: "https://track.example/" }, "https://track.example/v1/track/event?api_token=token"],
    [{ trackUrl: "https://track.example/base//" }, "https://track.example/base/v1/track/event?api_token=token"],
    [{ trackUrl: "/proxy" }, `${site}/proxy/v1/track/event?api_token=token`],
    [{ trackUrl: "/" }, `${site}/v1/track/event?api_token=token`],
    [{ trackUrl: "proxy" }, `${site}/a/proxy/v1/track/event?api_token=token`],
    [{ eventPath: "/e/1" }, "https://track.example/e/1?api_token=token"],
    [{ trackUrl: "/proxy/", eventPath: "//e" }, `${site}/proxy/e?api_token=token`],
    [{ eventPath: "e/1" }, "https://track.example/e/1?api_token=token"],
    [{ eventPath: "" }, "https://track.example/v1/track/event?api_token=token"],
    [{ apiToken: "a&b=c d/é" }, "https://track.example/v1/track/event?api_token=a%26b%3Dc%20d%2F%C3%A9"],
    [{ apiToken: "" }, undefined],
    [{ trackUrl: "" }, undefined],
    [{ trackUrl: "https://[" }, undefined],
  ];
  const wrong: unknown[] = [];
  for (const [config, expected] of cases) {
    const { url } = await load(config);
    if (url !== expected) wrong.push([config, url]);
  }
  expect(wrong).toEqual([]);
});

it("takes a relative address for the page's origin where its own address is no base", async () => {
  vi.stubGlobal("location", { href: "about:srcdoc" });
  expect((await load({ trackUrl: "/proxy" })).url).toMatch(/^https:\/\/site\.example\/proxy\//);
});

it("reads switches as attributes have them", async () => {
  const { isOn } = await load({});
  const on = ["", "true", true, "false", false, "no", undefined, null].filter(isOn);
  expect(on).toEqual(["", "true", true]);
});

it("has bounds that may be texts; a default holds in place of what is no number", () =>
  inWorld(async (world) => {
    const few = await world.open({ name: "few", maxEvents: "2" as never });
    const many = await world.open({ name: "many", maxEvents: "x" as never });
    for (const page of [few, many]) for (const name of ["a", "b", "c"]) await page.track(name);
    await world.clock.advance(20);
    expect(world.stored()).toEqual(["b", "c", "a", "b", "c"]);
  }));

it("that lacks what nothing can be sent without is said by name, and warned of unasked", () =>
  inWorld(async (world) => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
    const cases: [Partial<Config>, string][] = [
      [{ apiToken: "" }, "no apiToken"],
      [{ trackUrl: "" }, "no trackUrl"],
      [{ trackUrl: "https://[" }, "no address in trackUrl"],
      [{ apiToken: "", trackUrl: "" }, "no apiToken, trackUrl"],
    ];
    for (const [config, detail] of cases) {
      await world.open(config);
      expect(warn.mock.calls).toEqual([[`tracklet: ${detail}`]]);
      warn.mockClear();
    }
  }));
