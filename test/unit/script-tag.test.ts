/** Where the snippet finds its configuration, and what it says when there is none. */
import type { Window } from "happy-dom";
import { beforeEach, expect, it, vi } from "vitest";
import type { Hub } from "../../src/types.js";
import { stubPage } from "./browser/fresh.js";

let page: Window;
let globals: Record<string, Hub | unknown[] | undefined>;
/** What stands behind a mistake in the console. */
const SEE = ["(data-debug)"];
const OPTIONS = { apiToken: "token", trackUrl: "https://track.example", contactUid: "ann", pageviews: "off" };

/** A tag with these options in the page. */
const tag = (options: Record<string, string>, parent: ParentNode = document.head): HTMLScriptElement => {
  const script = document.createElement("script");
  script.type = "x";
  Object.assign(script.dataset, options);
  parent.append(script);
  return script;
};
/** Runs the snippet, as this tag or as none that the page knows of. */
const run = async (current: HTMLScriptElement | null): Promise<void> => {
  vi.spyOn(page.Document.prototype, "currentScript", "get").mockReturnValue(current as never);
  vi.resetModules();
  await import("../../src/script-tag.js");
};
const keys = (): string[] =>
  Object.keys(localStorage)
    .filter((key) => key.includes(":event3:"))
    .map((key) => `${key.split(":")[0]} ${/"event_uid":"(\w+)"/.exec(localStorage[key])?.[1]}`);
const track = (name: string, uid: string): unknown => (globals[name] as Hub).push(["track", uid]);

let warn: ReturnType<typeof vi.spyOn>;
beforeEach(() => {
  page = stubPage();
  globals = page as never;
  vi.stubGlobal("requestAnimationFrame", () => 0);
  warn = vi.spyOn(console, "warn").mockImplementation(() => {});
  // No answer: what is tracked stays to be looked at.
  vi.stubGlobal("fetch", () => new Promise(() => {}));
});

it.each([
  ["the document", () => document.head],
  ["no document", () => document.createDocumentFragment()],
])("takes the attributes of its own tag, which is in %s, for options", async (_, parent) => {
  tag({ ...OPTIONS, name: "mine" });
  await run(tag(OPTIONS, parent()));
  track("tracklet", "a");
  expect([keys(), globals.mine]).toEqual([["tracklet a"], undefined]);
  expect(warn).not.toHaveBeenCalled();
});

it("looks for a tag of its own where the page does not say which one is running", async () => {
  tag({ other: "vendor" });
  tag({ ...OPTIONS, name: "mine" });
  await run(null);
  track("mine", "a");
  expect([keys(), globals.tracklet, warn.mock.calls]).toEqual([["mine a"], undefined, []]);
});

it.each([
  ["a tag without attributes", () => tag({})],
  ["no tag at all", () => null],
])("says once what is missing with %s, and takes a configuration that comes later", async (_, current) => {
  globals.tracklet = [["track", "a"]];
  await run(current());
  expect(warn.mock.calls).toEqual([["tracklet: init: apiToken, trackUrl", ...SEE]]);
  (globals.tracklet as unknown as Hub).push(["init", OPTIONS]);
  expect(keys()).toEqual(["tracklet a"]);
  expect(warn).toHaveBeenCalledTimes(1);
});
