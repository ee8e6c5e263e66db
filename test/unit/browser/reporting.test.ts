import { expect, it, vi } from "vitest";
import type { Config } from "../../../src/types.js";
import { inWorld } from "../../simulation/world.js";
import { fresh } from "./fresh.js";

/** An event that the service refuses. */
const BODY = '{"event_uid":"large"}';

const load = (config: Partial<Config> = {}) => fresh(config, () => import("../../../src/browser/reporting.js"));

it("tells the last listener of decisions and of problems, and the console of each mistake, once; a listener may throw", async () => {
  const { listenTo, log, report } = await load();
  const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
  const lines: unknown[] = [];
  for (const detail of ["track: eventUid", "track: eventUid"]) report("input", detail);
  listenTo(() => lines.push("first"));
  listenTo((...line) => {
    lines.push(line);
    throw new Error("the page's own");
  });
  log("queued", "{}");
  for (let time = 1; time <= 2; time++) report("paused", "status 401");
  report("rejected", "status 400", BODY);
  expect(lines).toEqual([
    "first",
    "first",
    ["options", expect.anything()],
    // A problem of before.
    ["input", "track: eventUid"],
    ["queued", "{}"],
    ["paused", "status 401"],
    ["paused", "status 401"],
    ["rejected", "status 400"],
  ]);
  // A refusal is a mistake as well, most often of the token.
  const see = "(data-debug)";
  expect(warn.mock.calls).toEqual([
    ["t: track: eventUid", see],
    ["t: status 401", see],
    // No contact.
    ["t: status 400", see],
  ]);
});

it("tells onError what it is about in a member of its own", async () => {
  vi.spyOn(console, "warn").mockImplementation(() => {});
  const onError = vi.fn();
  const { report } = await load({ onError });
  report("input", "track: eventUid");
  report("paused", "status 401");
  report("rejected", "status 400", BODY);
  report("evicted", "maxEvents, maxBytes", BODY);
  report("throttled", "rendered", "250");
  const event = JSON.parse(BODY);
  expect(onError.mock.calls.map(([problem]) => problem)).toEqual([
    { code: "input", detail: "track: eventUid", option: "track: eventUid" },
    { code: "paused", detail: "status 401", status: 401 },
    { code: "rejected", detail: "status 400", status: 400, event },
    { code: "evicted", detail: "maxEvents, maxBytes", bound: "maxEvents, maxBytes", event },
    { code: "throttled", detail: "rendered", name: "rendered", count: 250 },
  ]);
});

it("takes texts and safe integers for uids, and reports all else by name", async () => {
  vi.spyOn(console, "warn").mockImplementation(() => {});
  const problems: string[] = [];
  const { readUid } = await load({ onError: ({ detail }) => problems.push(detail) });
  expect(["ann", 7, 0, -1].map((uid) => readUid("uid", uid))).toEqual(["ann", "7", "0", "-1"]);
  expect(problems).toEqual([]);
  const wrong = ["", " \n", undefined, null, 0.5, 2 ** 53, Number.NaN, 5n, {}, ["ann"], true];
  expect(wrong.map((uid) => readUid("uid", uid))).toEqual(wrong.map(() => ""));
  expect(problems).toEqual(wrong.map(() => "uid"));
});

it("writes so many different problems to the console, and tells onError of all", async () => {
  const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
  const onError = vi.fn();
  const { report } = await load({ onError });
  for (let problem = 1; problem <= 101; problem++) report("input", `${problem}`);
  expect([warn, onError].map(({ mock }) => mock.calls.length)).toEqual([100, 101]);
});

it.each([true, "", "true", "false"])("debug: %j is the console, a line each, where it is on", (debug) =>
  inWorld(async (world) => {
    const print = vi.spyOn(console, "debug").mockImplementation(() => {});
    const page = await world.open({ debug: debug as never });
    await page.track("a");
    const line = ["tracklet", "queued", expect.stringContaining('"a"')];
    expect(print.mock.calls.filter(([, code]) => code !== "options")).toEqual(debug === "false" ? [] : [line]);
  }),
);
