import { beforeEach, expect, it, vi } from "vitest";
import { scopeOf } from "../../../src/shared/option-values.js";
import type { Config } from "../../../src/types.js";
import { fresh, OPTIONS } from "./fresh.js";

beforeEach(() => {
  vi.stubGlobal("location", new URL("https://site.example/a/b"));
  vi.stubGlobal("origin", "https://site.example");
});

const load = (config: Partial<Config>) => fresh(config, () => import("../../../src/browser/config.js"));

const site = "https://site.example";
it.each<[Partial<Config>, string | undefined]>([
  [{}, "https://track.example/v1/track/event?api_token=token"],
  [{ trackUrl: "https://track.example/" }, "https://track.example/v1/track/event?api_token=token"],
  [{ trackUrl: "https://track.example/base//" }, "https://track.example/base/v1/track/event?api_token=token"],
  [{ trackUrl: " http://track.example" }, "https://track.example/v1/track/event?api_token=token"],
  ...["localhost:8080", "127.0.0.1:8080", "[::1]:8080"].map((host): [Partial<Config>, string] => [
    { trackUrl: `http://${host}` },
    `http://${host}/v1/track/event?api_token=token`,
  ]),
  [{ trackUrl: "/proxy" }, `${site}/proxy/v1/track/event?api_token=token`],
  [{ trackUrl: "/" }, `${site}/v1/track/event?api_token=token`],
  [{ trackUrl: "proxy" }, `${site}/a/proxy/v1/track/event?api_token=token`],
  [{ eventPath: "/e/1" }, "https://track.example/e/1?api_token=token"],
  [{ eventPath: "e/1" }, "https://track.example/e/1?api_token=token"],
  [{ apiToken: "a&b=c d/é" }, "https://track.example/v1/track/event?api_token=a%26b%3Dc%20d%2F%C3%A9"],
  [
    { trackUrl: " https://track.example/ ", apiToken: "token\n" },
    "https://track.example/v1/track/event?api_token=token",
  ],
])("builds the URL of all events from address, path and token: %j", async (config, url) =>
  expect((await load(config)).url).toBe(url),
);

it("leaves plain http where the page has come by it", async () => {
  vi.stubGlobal("location", new URL("http://site.example"));
  expect((await load({ trackUrl: "http://track.example" })).url).toMatch(/^http:\/\/track\.example\//);
});

it("takes a relative address for the page's origin where its own address is no base", async () => {
  vi.stubGlobal("location", { href: "about:srcdoc" });
  expect((await load({ trackUrl: "/proxy" })).url).toMatch(/^https:\/\/site\.example\/proxy\//);
});

it("files rows under six letters or digits of the token, without blanks around it, and of the former one", async () => {
  const { scopes } = await load({ apiToken: " token\n", formerToken: "former" });
  expect(scopes).toEqual((await load({ apiToken: "token", formerToken: "former" })).scopes);
  const all = Array.from({ length: 2_000 }, (_, index) => scopeOf(`token-${index}`));
  expect([new Set(all).size, [...all, ...scopes, scopeOf()].filter((one) => !/^[a-z\d]{6}$/.test(one))]).toEqual([
    2_000,
    [],
  ]);
});

it("reads switches as attributes have them", async () => {
  const { isOn } = await load({});
  const on = ["", "true", true, "false", false, "no", undefined, null].filter(isOn);
  expect(on).toEqual(["", "true", true]);
});

it.each<[string, Partial<Config>, isRight: boolean, object]>([
  ["consent without case and blanks", { consent: " Pending " as never }, true, { consent: "pending" }],
  ["no consent", { consent: undefined as never }, true, { consent: "granted" }],
  ["an empty consent", { consent: "" as never }, false, { consent: "pending" }],
  ["another word", { consent: "grantd" as never }, false, { consent: "pending" }],
  ["numbers, also as texts", { maxEvents: 5, maxBytes: "1000000" as never }, true, { maxEvents: 5, maxBytes: 1e6 }],
  ["no numbers", { maxEvents: "" as never, maxBytes: undefined as never }, true, { maxEvents: 7, maxBytes: 7 }],
  ["a dot for thousands", { maxEvents: "1.000" as never }, true, { maxEvents: 7 }],
  ["a comma", { maxAgeMs: "1,000" as never, maxBytes: -5 }, true, { maxBytes: 7, maxAgeMs: 7 }],
])("reads %s, and says whether consent is one", async (_, given, isRight, taken) => {
  const module = await load({});
  expect(module.configure({ ...OPTIONS, ...given })).toBe(isRight);
  const { config, numberOf } = module;
  const [maxEvents, maxBytes, maxAgeMs] = (["maxEvents", "maxBytes", "maxAgeMs"] as const).map((one) =>
    numberOf(one, 7),
  );
  expect({ consent: config.consent, maxEvents, maxBytes, maxAgeMs }).toMatchObject(taken);
});
